import type { RequestLog, TraceSummary } from './request-log.ts'

/** A request that has ended, and when. */
export interface RecentRequest extends RequestLog {
  /** ISO 8601, of its end. */
  readonly at: string
}

/** How long requests of one kind usually take: the median one, and where its time went. */
export interface UsualTime extends Pick<TraceSummary, 'queuedMs' | 'upstreamMs' | 'ownMs'> {
  readonly kind: RequestKind
  readonly count: number
  readonly ms: number
  readonly pagesMs: number
}

/** What was asked for: a list, an answer by its effort, a report, text without a search, or pages. */
export type RequestKind = 'list' | 'fast' | 'standard' | 'deep' | 'report' | 'text' | 'pages' | 'cached'

/** The last requests of this process, in memory alone. The log has no queries, so neither has this. */
export class RecentRequests {
  readonly #entries: RecentRequest[] = []
  readonly #timed: RecentRequest[] = []
  /** When each caller last asked for something, ISO 8601. */
  readonly #lastUse = new Map<string, string>()

  add(entry: RequestLog, at: Date): void {
    if (isOfPage(entry.path)) return
    const recent = { ...entry, at: at.toISOString() }
    push(this.#entries, recent, maxEntries)
    if (entry.caller !== undefined) this.#use(entry.caller, recent.at)
    if (isSuccess(entry) && kindOf(entry)) push(this.#timed, recent, maxTimed)
  }

  /** The newest first; of one caller, where it is given. */
  list(caller?: string): readonly RecentRequest[] {
    return ofCaller(this.#entries, caller).toReversed()
  }

  /** The usual times of each kind today, failures left out; of one caller, where it is given. */
  usualTimes(now: Date, caller?: string): readonly UsualTime[] {
    const since = new Date(now.getTime() - dayMs).toISOString()
    const timed = ofCaller(this.#timed, caller).filter(({ at }) => at >= since)
    return kinds.flatMap((kind) => {
      const ofKind = timed.filter((entry) => kindOf(entry) === kind).sort((one, other) => one.ms - other.ms)
      const median = ofKind[Math.floor((ofKind.length - 1) / 2)]
      if (!median) return []
      const { ms, queuedMs = 0, upstreamMs = 0, pagesMs = 0, ownMs = 0 } = median
      return { kind, count: ofKind.length, ms, queuedMs, upstreamMs, pagesMs, ownMs }
    })
  }

  lastUseOf(caller: string): string | undefined {
    return this.#lastUse.get(caller)
  }

  /** The latest last. */
  #use(caller: string, at: string): void {
    this.#lastUse.delete(caller)
    this.#lastUse.set(caller, at)
    const [oldest] = this.#lastUse.keys()
    if (this.#lastUse.size > maxCallers && oldest !== undefined) this.#lastUse.delete(oldest)
  }
}

const kinds: readonly RequestKind[] = ['list', 'fast', 'standard', 'deep', 'report', 'text', 'pages', 'cached']

/** `undefined` for what is neither a search nor a page: its time says nothing of searches. */
export function kindOf({
  want,
  effort,
  isReport,
  cache,
  pages,
}: Pick<RequestLog, 'want' | 'effort' | 'isReport' | 'cache' | 'pages'>): RequestKind | undefined {
  if (cache !== undefined && cache !== 'miss') return 'cached'
  if (isReport) return 'report'
  if (want === 'results') return 'list'
  if (want === 'answer') return effort
  if (want === 'text') return 'text'
  return pages === undefined ? undefined : 'pages'
}

function ofCaller(entries: readonly RecentRequest[], caller: string | undefined): readonly RecentRequest[] {
  return caller === undefined ? entries : entries.filter((entry) => entry.caller === caller)
}

function isSuccess({ status, code }: RequestLog): boolean {
  return status < 400 && code === undefined
}

function push<Item>(items: Item[], item: Item, most: number): void {
  items.push(item)
  if (items.length > most) items.shift()
}

const maxEntries = 50
const maxTimed = 1000
const maxCallers = 1000
const dayMs = 86_400_000

/** What shows csp's own state, which asks all the time, and what browsers fetch by themselves: both would displace the rest. */
function isOfPage(path: string): boolean {
  return (
    /^(\/v1)?\/((health|page|jobs)(\/.*)?|usage|requests|memory|receipts(\/\w+)?|sign-in(\/code)?)?$/.test(path) ||
    /^\/(?:favicon\.ico|apple-touch-icon[\w-]*\.png|robots\.txt|opensearch\.xml|docs|openapi\.json|llms\.txt|\.well-known\/appspecific\/.*)$/.test(
      path,
    )
  )
}
