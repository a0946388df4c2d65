import { SlidingWindow } from '@csp/lib/rate-limiter'
import { utcMomentOf } from '@csp/lib/times'
import { SearchError } from '../../../domain/error.ts'
import { type BudgetHealth, type LimitHealth, limitInWords } from '../../../domain/health.ts'
import { dayOf, endOfDay, type Ledger, type Spending, sumOf } from './ledger.ts'

/** Limits on spending. Absent: none. */
export interface Limits {
  /** Searches begun within any 60 seconds, as this process sees them. */
  readonly searchesPerMinute?: number | undefined
  /** By UTC day. */
  readonly searchesPerDay?: number | undefined
  /** Input and output together, by UTC day. Checked before a request, so the last ones may exceed it. */
  readonly tokensPerDay?: number | undefined
  /** The part of each limit of Claude's plan that is left to others, in percent. Kept by the `PlanGuard`. */
  readonly planReserve?: number | undefined
}

export interface BudgetOptions {
  readonly ledger: Ledger
  /** For all callers together. */
  readonly limits?: Limits | undefined
  /** For one caller alone. */
  readonly limitsOf?: ((caller: string) => Limits | undefined) | undefined
  /** Called when 80 % of a day's limit are used, once for each limit and day. */
  readonly warn?: ((message: string) => void) | undefined
  /** Milliseconds since 1970. */
  readonly now?: (() => number) | undefined
  /** Monotonic time, ms. */
  readonly elapsed?: (() => number) | undefined
}

/** A place within the limits, held while a request is under way. */
export interface Reservation {
  /**
   * Releases the place, and enters in the ledger what was spent: the first part for the searches of the place, others for
   * what it cost at somebody else. Only the first call counts. Never throws.
   */
  settle(parts: readonly [Part, ...Part[]]): Promise<void>
}

/** What was spent at one backend. */
export interface Part extends Spending {
  readonly backend: string
}

/** Counts spending and rejects what exceeds the limits: a `Budget` of this process, or one that is kept elsewhere. */
export type Meter = Pick<Budget, 'ledger' | 'reserve' | 'limits' | 'health'>

/** One caller, or all of them together. */
type Owner = string | undefined

/** Holds spending to limits, by a ledger that says what has been spent. */
export class Budget {
  readonly ledger: Ledger
  readonly #options: BudgetOptions
  readonly #now: () => number
  readonly #elapsed: () => number
  readonly #minutes = new Map<Owner, SlidingWindow>()
  /** Searches under way. */
  readonly #pending = new Map<Owner, number>()
  readonly #warned = new Set<string>()

  constructor(options: BudgetOptions) {
    this.ledger = options.ledger
    this.#options = options
    this.#now = options.now ?? Date.now
    this.#elapsed = options.elapsed ?? (() => performance.now())
  }

  /** Throws `rate-limited` when a limit is reached. `searches`: whether the request will search, or only write. */
  async reserve(caller: string, searches: boolean): Promise<Reservation> {
    const owners = [undefined, caller]
    await this.#refresh(owners)
    // There is no `await` from here to the entries below, so that no two requests take the same last place.
    const holding = this.#limitsAt(owners).filter(({ left, kind }) => left === 0 && (searches || kind === 'tokens'))
    const lasting = holding.toSorted((a, b) => b.resetsAt.localeCompare(a.resetsAt))[0]
    if (lasting) throw this.#reached(lasting)
    const entered = searches ? owners.map((owner) => this.#minuteOf(owner)?.add()) : []
    const count = (change: number) => {
      if (searches) for (const owner of owners) this.#pending.set(owner, this.#pendingOf(owner) + change)
    }
    count(1)
    let isSettled = false
    return {
      settle: async (parts) => {
        if (isSettled) return
        isSettled = true
        for (const correct of entered) correct?.(parts[0].searches)
        count(-1)
        const entry = { day: dayOf(this.#now()), caller }
        await Promise.all(parts.map((part) => this.ledger.add({ ...entry, ...part })))
        this.#warn(this.#limitsAt(owners))
      },
    }
  }

  /** The state of the limits: those for all together, and those of a caller, if one is named. */
  async limits(caller?: string): Promise<readonly LimitHealth[]> {
    const owners = caller === undefined ? [undefined] : [undefined, caller]
    await this.#refresh(owners)
    return this.#limitsAt(owners)
  }

  async health(): Promise<BudgetHealth> {
    const limits = await this.limits()
    return { limits, warning: warningOf(limits, this.#now()), problem: this.ledger.problem }
  }

  #limitsOf(owner: Owner): Limits {
    const { limits, limitsOf } = this.#options
    return (owner === undefined ? limits : limitsOf?.(owner)) ?? {}
  }

  /** Reads nothing where no limit needs it. */
  async #refresh(owners: readonly Owner[]): Promise<void> {
    const isAsked = owners.some((owner) => {
      const { searchesPerDay, tokensPerDay } = this.#limitsOf(owner)
      return searchesPerDay !== undefined || tokensPerDay !== undefined
    })
    if (isAsked) await this.ledger.refresh(dayOf(this.#now()))
  }

  #limitsAt(owners: readonly Owner[]): readonly LimitHealth[] {
    const now = this.#now()
    const limited = owners.filter((owner) => hasLimit(this.#limitsOf(owner)))
    const today = limited.length > 0 ? this.ledger.since(dayOf(now)) : []
    return limited.flatMap((owner) => {
      const { searchesPerMinute, searchesPerDay, tokensPerDay } = this.#limitsOf(owner)
      const spent = sumOf(today.filter(({ caller }) => owner === undefined || caller === owner))
      const minute = this.#minuteOf(owner)
      const states: LimitHealth[] = []
      const say = (kind: LimitHealth['kind'], window: LimitHealth['window'], limit: number, used: number) => {
        const end = window === 'day' ? endOfDay(now) : now + (minute?.freeInMs(limit) ?? 0)
        const resetsAt = new Date(end).toISOString()
        states.push({ caller: owner, kind, window, limit, used, left: Math.max(0, limit - used), resetsAt })
      }
      if (searchesPerMinute !== undefined) say('searches', 'minute', searchesPerMinute, minute?.used() ?? 0)
      if (searchesPerDay !== undefined) {
        say('searches', 'day', searchesPerDay, spent.searches + this.#pendingOf(owner))
      }
      if (tokensPerDay !== undefined) say('tokens', 'day', tokensPerDay, spent.inputTokens + spent.outputTokens)
      return states
    })
  }

  #minuteOf(owner: Owner): SlidingWindow | undefined {
    if (this.#limitsOf(owner).searchesPerMinute === undefined) return undefined
    const minute = this.#minutes.get(owner) ?? new SlidingWindow(minuteMs, this.#elapsed)
    this.#minutes.set(owner, minute)
    return minute
  }

  #pendingOf(owner: Owner): number {
    return this.#pending.get(owner) ?? 0
  }

  #reached(limit: LimitHealth): SearchError {
    const retryAfterSeconds = Math.max(1, Math.ceil((Date.parse(limit.resetsAt) - this.#now()) / 1000))
    return new SearchError('rate-limited', `${nameOf(limit)} is reached${wayOut(limit)}.`, { retryAfterSeconds })
  }

  #warn(limits: readonly LimitHealth[]): void {
    const day = dayOf(this.#now())
    for (const said of this.#warned) if (!said.startsWith(day)) this.#warned.delete(said)
    for (const limit of limits.filter(isNear)) {
      const key = `${day} ${nameOf(limit)}`
      if (!this.#warned.has(key)) this.#options.warn?.(wordsFor(limit, this.#now()))
      this.#warned.add(key)
    }
  }
}

const minuteMs = 60_000

/** Whether anything is limited at all. */
export function hasLimit(limits: Limits): boolean {
  return Object.values(limits).some((limit) => limit !== undefined)
}

/** Names the limits of the day that are nearly reached; `undefined` when none is. */
export function warningOf(limits: readonly LimitHealth[], now: number): string | undefined {
  return (
    limits
      .filter(isNear)
      .map((limit) => wordsFor(limit, now))
      .join(' ') || undefined
  )
}

function isNear({ window, used, limit }: LimitHealth): boolean {
  return window === 'day' && used >= limit * 0.8
}

function wordsFor(limit: LimitHealth, now: number): string {
  const percent = limit.limit > 0 ? Math.floor((limit.used / limit.limit) * 100) : 100
  return `${nameOf(limit)} is used to ${percent} %; the day ends at ${utcMomentOf(limit.resetsAt, now)}.`
}

/** How to change the limit that is on by default, for the person who runs this csp. */
function wayOut({ caller, kind, window }: LimitHealth): string {
  const isUsual = caller === undefined && kind === 'searches' && window === 'day'
  return isUsual ? '; --daily-searches (CSP_DAILY_SEARCHES) sets another, 0 lifts it' : ''
}

function nameOf(limit: LimitHealth): string {
  return limit.caller === undefined ? `This server's ${limitInWords(limit)}` : `The ${limitInWords(limit)}`
}
