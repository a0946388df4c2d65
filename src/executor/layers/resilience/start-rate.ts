/** How fast searches may start: the first few after a pause at once, and no more than so many in any second. */
export class StartRate {
  readonly #most: number
  readonly #windowMs: number
  /** The latest ones, oldest first. */
  readonly #starts: number[] = []

  /** `perSecond` 0: no limit. */
  constructor(perSecond: number) {
    // The count is whole, so the window makes up for a fraction.
    this.#most = perSecond > 0 ? Math.max(1, Math.floor(perSecond)) : Number.POSITIVE_INFINITY
    this.#windowMs = perSecond > 0 ? (this.#most * 1000) / perSecond : 0
  }

  /** Milliseconds until one may start; 0: now. */
  waitMs(now: number): number {
    const [first] = this.#starts
    return first === undefined || this.#starts.length < this.#most ? 0 : Math.max(0, first + this.#windowMs - now)
  }

  note(now: number): void {
    if (this.#most === Number.POSITIVE_INFINITY) return
    this.#starts.push(now)
    if (this.#starts.length > this.#most) this.#starts.shift()
  }
}
