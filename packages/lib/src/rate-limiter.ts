import { pause } from './abort.ts'
import { Semaphore } from './semaphore.ts'

/** Counts what began within a sliding window. */
export class SlidingWindow {
  readonly #windowMs: number
  readonly #now: () => number
  /** In the order begun. */
  #entries: { readonly at: number; count: number }[] = []

  /** `now`: monotonic time, ms. */
  constructor(windowMs: number, now: () => number) {
    this.#windowMs = windowMs
    this.#now = now
  }

  /** Enters one that begins now, and returns the function that corrects its amount. */
  add(): (count: number) => void {
    const entry = { at: this.#now(), count: 1 }
    this.#entries.push(entry)
    return (count) => {
      entry.count = count
    }
  }

  /** The sum of the amounts that began within the window. */
  used(): number {
    const since = this.#now() - this.#windowMs
    this.#entries = this.#entries.filter(({ at }) => at > since)
    return this.#entries.reduce((sum, { count }) => sum + count, 0)
  }

  /** Milliseconds until there is room for one more below the limit; 0 when there is. */
  freeInMs(limit: number): number {
    let used = this.used()
    const now = this.#now()
    for (const { at, count } of this.#entries) {
      if (used < limit) break
      used -= count
      if (used < limit) return at + this.#windowMs - now
    }
    return 0
  }
}

/**
 * Limits starts by their average: each takes a token, tokens come at `perSecond`, and there is room for `burst` of them,
 * which start at once after a pause.
 */
export class TokenBucket {
  readonly #perSecond: number
  readonly #burst: number
  readonly #now: () => number
  #tokens: number
  #countedAt: number

  /** `perSecond` 0: no limit. `now`: monotonic time, ms. */
  constructor(perSecond: number, burst: number, now: () => number) {
    this.#perSecond = perSecond
    this.#burst = Math.max(1, burst)
    this.#now = now
    this.#tokens = this.#burst
    this.#countedAt = now()
  }

  /** Milliseconds until the `count`-th may start from now on; 0: now. */
  waitMs(count = 1): number {
    if (this.#perSecond === 0) return 0
    const now = this.#now()
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#countedAt) / 1000) * this.#perSecond)
    this.#countedAt = now
    // A timer may end a fraction of a millisecond early, and sums of fractions are not exact.
    const missing = count - this.#tokens
    return missing < 1e-6 ? 0 : (missing / this.#perSecond) * 1000
  }

  /** Counts one that starts now. */
  take(): void {
    this.#tokens--
  }
}

/** Says when a call may start, and counts those that do. */
export interface StartLimit {
  /** Milliseconds until one may start; 0: now. */
  waitMs(): number
  /** Counts one that starts now. */
  take(): void
}

/** Lets callers start as a limit allows: in the order of the calls, and among callers one after another. */
export class Starter {
  readonly #limit: StartLimit
  readonly #door = new Semaphore(1)

  constructor(limit: StartLimit) {
    this.#limit = limit
  }

  /** Waits until one may start, and counts it. Throws the signal's reason when it aborts. */
  async start(signal: AbortSignal, caller?: string): Promise<void> {
    const limit = this.#limit
    const leave = await this.#door.take(signal, caller)
    try {
      for (let ms = limit.waitMs(); ms > 0 && !signal.aborted; ms = limit.waitMs()) await pause(ms, signal)
      signal.throwIfAborted()
      limit.take()
    } finally {
      if (typeof leave === 'function') leave()
    }
  }
}

/** Limits starts: the first few after a pause at once, and at most `perSecond` in any second. `now`: monotonic time, ms. */
export function startsPerSecond(perSecond: number, now: () => number = () => performance.now()): StartLimit {
  // The count is whole, so the window makes up for a fraction.
  const count = Math.max(1, Math.floor(perSecond))
  const starts = new SlidingWindow((count * 1000) / perSecond, now)
  return { waitMs: () => starts.freeInMs(count), take: () => starts.add() }
}
