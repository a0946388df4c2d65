import { utcMomentOf } from '@csp/lib/times'
import { SearchError } from '../../../domain/error.ts'
import {
  kindsInWords,
  type LimitWindowHealth,
  type PlanHealth,
  type RateLimitHealth,
  type SearchKind,
  searchKinds,
  windowInWords,
} from '../../../domain/health.ts'
import type { SearchRequest } from '../../../domain/search.ts'
import { endOf, PlanUse } from './plan-use.ts'

export interface PlanGuardOptions {
  /** The part of each window that is kept for the owner, 0 to 1. */
  readonly reserve: number
  /** What one caller has to leave, where that is more. */
  readonly reserveOf?: ((caller: string) => number | undefined) | undefined
  /** Whether nothing may be searched that is paid beyond the plan. */
  readonly planOnly: boolean
  /** The models that serve a request: some windows are of one model. */
  readonly modelsOf: (request: SearchRequest) => readonly string[]
  /** Asks how much of the plan is used, without a model call. `undefined` if that cannot be known. */
  readonly ask: (signal: AbortSignal) => Promise<RateLimitHealth | undefined>
  readonly log?: ((level: 'info' | 'warning', message: string) => void) | undefined
  /** Milliseconds since 1970. */
  readonly now?: (() => number) | undefined
}

/** Why something is not searched now. */
interface Pause {
  readonly reason: string
  /** Milliseconds since 1970. */
  readonly until: number
}

/**
 * Keeps a part of a subscription for its owner. What costs most stops first: at a reserve of 10 % `deep` at 80 % used,
 * written answers at 85 %, lists at 90 %.
 */
export class PlanGuard {
  readonly #options: PlanGuardOptions
  readonly #now: () => number
  readonly #use: PlanUse
  #asking: Promise<void> | undefined
  #askedAt = Number.NEGATIVE_INFINITY
  /** Asking is of no use until then. */
  #mutedUntil = 0
  /** How often in a row asking has failed. */
  #failures = 0
  /** Whether the last answer told how much is used: the next one will, too. */
  #canAsk = false
  #said = ''

  constructor(options: PlanGuardOptions) {
    this.#options = options
    this.#now = options.now ?? Date.now
    this.#use = new PlanUse(this.#now)
  }

  /** Takes what a model call reported. */
  note(limit: RateLimitHealth): void {
    this.#use.note(limit)
    this.#sayChange()
  }

  /** Asks for the use of the plan now. Never throws. */
  refresh(): Promise<void> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined
    })
    return this.#asking
  }

  /** Asks for the use of the plan again, also where it could not be known: somebody has signed in. */
  renew(): void {
    this.#mutedUntil = 0
    void this.refresh()
  }

  /**
   * Admits a search, and returns the function to call when it has ended. Throws `rate-limited` where the plan is kept
   * for others. Close to the threshold it first asks how much is used.
   */
  async admit(request: SearchRequest, caller: string | undefined): Promise<() => void> {
    await this.#freshReading(request, caller)
    this.#refuse(request, caller)
    return this.#use.begin(weights[kindOf(request)])
  }

  /** Throws what `admit` would throw now. */
  check = (request: SearchRequest, caller: string | undefined): Promise<void> =>
    this.#freshReading(request, caller).then(() => this.#refuse(request, caller))

  async #freshReading(request: SearchRequest, caller: string | undefined): Promise<void> {
    const { readAt, isUnused, running } = this.#use
    const ageMs = this.#now() - this.#heardAt
    const isNear = this.#pauseFor(request, caller, nearBy) !== undefined
    if (isNear && (this.#asking || ageMs > closeMs)) await this.refresh()
    else if (readAt === 0) await this.#asking
    // A command that makes one search does not start a worker for this.
    else if (!isUnused && ageMs > (running >= burst ? closeMs : usualMs)) void this.refresh()
  }

  #refuse(request: SearchRequest, caller: string | undefined): void {
    const pause = this.#pauseFor(request, caller)
    if (!pause) return
    const retryAfterSeconds = Math.max(1, Math.ceil((pause.until - this.#now()) / 1000))
    throw new SearchError('rate-limited', pause.reason, { retryAfterSeconds })
  }

  /** The use of the plan as last heard of. */
  get rateLimit(): RateLimitHealth | undefined {
    return this.#use.limit
  }

  get health(): PlanHealth {
    const { reserve, planOnly } = this.#options
    const { readAt } = this.#use
    const pauses = searchKinds.flatMap((kind) => {
      const pause = this.#pauseFor(samples[kind], undefined)
      return pause ? [{ kind, ...pause }] : []
    })
    const last = pauses.at(-1)
    return {
      reserve,
      planOnly,
      paused: last && {
        kinds: pauses.map(({ kind }) => kind),
        reason: last.reason,
        until: new Date(last.until).toISOString(),
      },
      readAt: readAt > 0 ? new Date(readAt).toISOString() : undefined,
    }
  }

  /** When the plan was last asked for, or heard of. */
  get #heardAt(): number {
    return Math.max(this.#use.readAt, this.#askedAt)
  }

  async #ask(): Promise<void> {
    const now = this.#now()
    if (now < this.#mutedUntil) return
    this.#askedAt = now
    try {
      const found = await this.#options.ask(AbortSignal.timeout(askTimeoutMs))
      this.#canAsk = found !== undefined
      this.#failures = 0
      if (found) this.#use.read(found)
      else this.#mutedUntil = now + unknownMs
      this.#sayChange()
    } catch {
      // The CLI is busy, gone or too old, or its server is asked too often. What the model calls report still counts.
      this.#canAsk = false
      this.#mutedUntil = now + Math.min(unknownMs, failedMs * 2 ** this.#failures++)
    }
  }

  /** What stands against a request, `margin` before it does. */
  #pauseFor(request: SearchRequest, caller: string | undefined, margin = 0): Pause | undefined {
    const { planOnly, modelsOf, reserveOf } = this.#options
    const own = caller === undefined ? 0 : (reserveOf?.(caller) ?? 0)
    const reserve = Math.max(this.#options.reserve, own)
    const kept = keptFor(kindOf(request), reserve)
    const models = modelsOf(request).map((model) => model.toLowerCase())
    const { paid } = this.#use
    const now = this.#now()
    if (planOnly && paid && concerns(paid.window, models)) return { reason: paidReason, until: paid.until }
    if (kept === 0 && !planOnly) return undefined
    const threshold = 1 - kept - margin - rounding
    // What cannot be corrected soon is not guessed.
    const unknownCost = this.#canAsk ? guessedCost : 0
    const [last] = this.#use.windows
      .filter((window) => concerns(window, models))
      .map((window) => ({ window, used: this.#use.expected(window, unknownCost), isSure: share(window) >= threshold }))
      .filter(({ used }) => used >= threshold)
      .toSorted((a, b) => Number(b.isSure) - Number(a.isSure) || endOf(b.window, now) - endOf(a.window, now))
    if (!last) return undefined
    const { window, isSure } = last
    const used = isSure ? percent(share(window)) : `About ${percent(last.used)}`
    const whose = own > this.#options.reserve ? caller : undefined
    // The next reading may show room.
    const isSoon = !isSure && this.#canAsk
    const until = isSoon ? Math.max(now, this.#heardAt + closeMs) : endOf(window, now)
    return { reason: `${used} ${keptReason(window, kept, whose)}`, until }
  }

  #sayChange(): void {
    const { paused } = this.health
    const said = paused?.kinds.join(' ') ?? ''
    if (said === this.#said) return
    this.#said = said
    if (paused) {
      const until = utcMomentOf(paused.until, this.#now())
      this.#options.log?.('warning', `Claude makes no ${kindsInWords(paused.kinds)} until ${until}. ${paused.reason}`)
    } else this.#options.log?.('info', 'Claude searches again: the plan has room.')
  }
}

/** Steps below the reserve at which each kind of search stops. */
const steps: Readonly<Record<SearchKind, number>> = { deep: 2, answers: 1, lists: 0 }

/** What a search costs, beside a list. */
const weights: Readonly<Record<SearchKind, number>> = { deep: 4, answers: 2, lists: 1 }

const sample = { query: '', history: [], effort: 'standard', filters: {} } as const
const samples: Readonly<Record<SearchKind, SearchRequest>> = {
  deep: { ...sample, want: 'answer', effort: 'deep' },
  answers: { ...sample, want: 'answer' },
  lists: { ...sample, want: 'results' },
}

/** What a research has planned and written stops with what costs most. */
function kindOf({ want, effort, research }: SearchRequest): SearchKind {
  if (want === 'results') return 'lists'
  return effort === 'deep' && (want === 'answer' || research) ? 'deep' : 'answers'
}

function keptFor(kind: SearchKind, reserve: number): number {
  return Math.min(1, reserve + steps[kind] * Math.min(reserve / 2, maxStep))
}

/** A weekly window of one model or product has its name behind `seven_day`. */
function concerns({ window = '' }: LimitWindowHealth, models: readonly string[]): boolean {
  const scope = /^seven_day_(?!overage_included)(.+)$/.exec(window)?.[1]
  return scope === undefined || models.some((model) => model.includes(scope))
}

function share({ utilization = 0 }: LimitWindowHealth): number {
  return utilization
}

/** The part of a window that is kept, and for whom: follows how much is used. */
function keptReason({ window }: LimitWindowHealth, kept: number, key?: string): string {
  const left = `the last ${Math.round(kept * 100)}%`
  const rest = key === undefined ? `${left} is kept for its owner (--plan-reserve)` : `the key "${key}" leaves ${left}`
  return `of Claude's ${windowInWords(window)} is used${kept > 0 ? `; ${rest}` : ''}.`
}

/** Why nothing is searched that would be paid. */
const paidReason = 'The plan is used up, and csp makes no search that is paid as extra usage (--plan-only).'

/** `91%`, never rounded up. */
function percent(part: number): string {
  return `${Math.floor(part * 100)}%`
}

const maxStep = 0.05
/** Binary fractions are not exact. */
const rounding = 1e-9
/** So much before the threshold each search needs a fresh reading. */
const nearBy = 0.05
/** What a list may cost as long as no reading has shown it. */
const guessedCost = 0.01
/** The server refuses programs that ask more often, for hours. */
const closeMs = 60_000
const usualMs = 300_000
/** So many searches at once may use a window up between two readings. */
const burst = 4
/** A process of the CLI has to start for it. */
const askTimeoutMs = 6000
const failedMs = 60_000
const unknownMs = 1_800_000
