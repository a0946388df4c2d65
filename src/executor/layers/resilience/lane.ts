/** The places of searches that cost about the same, and how fast they become free. */
export class Lane {
  readonly concurrency: number
  readonly #now: () => number
  #running = 0
  /** A moving average; the first value is a guess. */
  #secondsPerSearch = 10
  /** When the last searches ended while others waited: the pace at which the queue moves. */
  #ends: readonly number[] = []

  /** `now`: monotonic time, ms. */
  constructor(concurrency: number, now: () => number) {
    this.concurrency = concurrency
    this.#now = now
  }

  get running(): number {
    return this.#running
  }

  get isFull(): boolean {
    return this.#running >= this.concurrency
  }

  /** Takes a place, and returns the function that gives it back. `waiting`: how many wait for one then. */
  begin(): (waiting: number) => void {
    this.#running++
    const startedAt = this.#now()
    return (waiting) => {
      this.#running--
      this.#secondsPerSearch += ((this.#now() - startedAt) / 1000 - this.#secondsPerSearch) / 5
      this.#ends = waiting > 0 ? [...this.#ends, this.#now()].slice(-maxEnds) : []
    }
  }

  /** Until so many have got a place: at its own pace where that is known, otherwise estimated from recent searches. */
  expectedSeconds(searches: number): number {
    const [first = 0] = this.#ends
    const isPaceKnown = this.#ends.length >= minEnds
    const pace = ((this.#ends.at(-1) ?? 0) - first) / 1000 / (this.#ends.length - 1)
    return isPaceKnown ? searches * pace : (searches * this.#secondsPerSearch) / this.concurrency
  }
}

/** The fewest ends that make a pace. */
const minEnds = 4
const maxEnds = 20
