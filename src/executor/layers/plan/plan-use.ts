import { BoundedMap } from '@csp/lib/bounded-map'
import { type LimitWindowHealth, type OverageHealth, type RateLimitHealth, tightestOf } from '../../../domain/health.ts'

/** How much of a plan is used: what was last reported, and what has probably been used since. */
export class PlanUse {
  readonly #now: () => number
  readonly #windows = new BoundedMap<string, Noted>(maxWindows)
  #status = 'allowed'
  #overage: OverageHealth | undefined
  #paid: { readonly window: LimitWindowHealth; readonly until: number } | undefined
  #readAt = 0
  #running = 0
  /** The weight of all searches so far. */
  #begun = 0

  constructor(now: () => number) {
    this.#now = now
  }

  /** Takes the report of a model call, which may lack windows. */
  note(limit: RateLimitHealth): void {
    const { windows = [], status, overage, ...main } = limit
    this.#heard(limit)
    for (const window of windows) this.#take(window)
    if (main.window !== undefined && !windows.some(({ window }) => window === main.window)) this.#take(main)
    this.#paid = isPaid(limit) ? { window: main, until: endOf(limit, this.#now()) } : undefined
  }

  /** Takes a report with all windows of the plan. It does not say what is paid now. */
  read(limit: RateLimitHealth): void {
    const { windows = [] } = limit
    this.#heard(limit)
    const names = new Set(windows.map(({ window = '' }) => window))
    for (const name of this.#windows.keys()) if (!names.has(name)) this.#windows.delete(name)
    for (const window of windows) this.#take(window)
    if (windows.every(({ utilization = 0 }) => utilization < 1)) this.#paid = undefined
  }

  /** Notes that a search begins, and returns the function to call at its end. */
  begin(weight: number): () => void {
    this.#begun += weight
    this.#running++
    let isOver = false
    return () => {
      if (!isOver) this.#running--
      isOver = true
    }
  }

  /** Whether no search has begun yet. */
  get isUnused(): boolean {
    return this.#begun === 0
  }

  get running(): number {
    return this.#running
  }

  /** Milliseconds since 1970; 0: never. */
  get readAt(): number {
    return this.#readAt
  }

  /** Those that have not ended. */
  get windows(): readonly LimitWindowHealth[] {
    const now = this.#now()
    return [...this.#windows.values()]
      .map(({ window }) => window)
      .filter(({ resetsAt }) => resetsAt === undefined || Date.parse(resetsAt) > now)
  }

  /**
   * The used part of a window, with what the searches since its last report may have cost: at most `unknownCost` for one
   * of weight 1 where no report has shown it.
   */
  expected({ window = '', utilization = 0 }: LimitWindowHealth, unknownCost: number): number {
    const noted = this.#windows.get(window)
    if (!noted) return utilization
    const cost = noted.cost || Math.min(unknownCost, point / noted.unseen)
    return utilization + (this.#begun - noted.begun) * cost
  }

  /** The window whose searches would be paid beyond the plan, and until when; `undefined` while there is none. */
  get paid(): { readonly window: LimitWindowHealth; readonly until: number } | undefined {
    return this.#paid && this.#paid.until > this.#now() ? this.#paid : undefined
  }

  get limit(): RateLimitHealth | undefined {
    if (this.#readAt === 0) return undefined
    const windows = this.windows
    const tightest = tightestOf(windows)
    return { ...tightest, status: tightest?.status ?? this.#status, windows, overage: this.#overage }
  }

  #heard({ status, overage }: RateLimitHealth): void {
    this.#readAt = this.#now()
    this.#status = status
    this.#overage = overage ?? this.#overage
  }

  #take(window: LimitWindowHealth): void {
    const name = window.window ?? ''
    const before = this.#windows.get(name)
    const { utilization = 0 } = window
    const isSame = before !== undefined && before.window.resetsAt === window.resetsAt
    const searched = isSame ? this.#begun - before.begun : 0
    const used = isSame ? utilization - (before.window.utilization ?? 0) : 0
    // Reports are rounded, and the owner works meanwhile: the mean of the last reports.
    const cost = searched > 0 ? mean(before?.cost ?? 0, clamp(used / searched)) : (before?.cost ?? 0)
    const unseen = isSame && used <= 0 ? before.unseen + searched : 0
    this.#windows.set(name, { window, cost, unseen, begun: this.#begun })
  }
}

interface Noted {
  readonly window: LimitWindowHealth
  /** The used part of the window for a search of weight 1, as far as reports have shown. */
  readonly cost: number
  /** The weight of the last searches that have moved no report: together they have cost less than a point. */
  readonly unseen: number
  /** The weight of all searches before the report. */
  readonly begun: number
}

/** Whether the next call would be paid beyond the plan. */
function isPaid({ status, overage }: RateLimitHealth): boolean {
  if (overage?.inUse) return true
  return status === 'rejected' && (overage?.status === 'allowed' || overage?.status === 'allowed_warning')
}

/** When a window ends, in milliseconds since 1970; where that is not known, soon. */
export function endOf({ resetsAt = '' }: LimitWindowHealth, now: number): number {
  const end = Date.parse(resetsAt)
  return end > now ? end : now + unknownEndMs
}

function mean(before: number, now: number): number {
  return before === 0 ? now : before * 0.7 + now * 0.3
}

function clamp(cost: number): number {
  return Math.min(maxCost, Math.max(0, cost))
}

const maxCost = 0.02
/** Reports are in full percent. */
const point = 0.01
const maxWindows = 20
const unknownEndMs = 300_000
