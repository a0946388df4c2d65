/** What happened within the last 60 seconds. `elapsed`: milliseconds of a clock that never goes back. */
export class SlidingMinute {
  readonly #elapsed: () => number
  /** In the order begun. */
  #entries: { readonly at: number; count: number }[] = []

  constructor(elapsed: () => number) {
    this.#elapsed = elapsed
  }

  /** Enters one that begins now, and gives the function that corrects it to what it came to. */
  add(): (count: number) => void {
    const entry = { at: this.#elapsed(), count: 1 }
    this.#entries.push(entry)
    return (count) => {
      entry.count = count
    }
  }

  used(): number {
    const since = this.#elapsed() - minuteMs
    this.#entries = this.#entries.filter(({ at }) => at > since)
    return this.#entries.reduce((sum, { count }) => sum + count, 0)
  }

  /** Milliseconds until there is room for one more below the limit; 0 when there is. */
  freeInMs(limit: number): number {
    let used = this.used()
    const now = this.#elapsed()
    for (const { at, count } of this.#entries) {
      if (used < limit) break
      used -= count
      if (used < limit) return at + minuteMs - now
    }
    return 0
  }
}

const minuteMs = 60_000
