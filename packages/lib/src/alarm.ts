/**
 * A timer that is set again at each piece of a stream and seldom fires: setting it later costs nothing, since the timer that
 * runs already is set again when it fires too early. On the edge each timer takes processor time, which is counted.
 */
export class Alarm {
  #timer: ReturnType<typeof setTimeout> | undefined
  #firesAt = Number.POSITIVE_INFINITY
  #dueAt = Number.POSITIVE_INFINITY
  #onDue: () => void = () => {}

  /** Replaces what it was set to before. */
  set(milliseconds: number, onDue: () => void): void {
    this.#onDue = onDue
    this.#dueAt = performance.now() + milliseconds
    if (this.#dueAt < this.#firesAt) this.#arm(milliseconds)
  }

  /** Switches the alarm off. It can be set again. */
  stop(): void {
    clearTimeout(this.#timer)
    this.#firesAt = this.#dueAt = Number.POSITIVE_INFINITY
  }

  #arm(milliseconds: number): void {
    clearTimeout(this.#timer)
    this.#firesAt = performance.now() + milliseconds
    this.#timer = setTimeout(() => this.#fire(), milliseconds)
  }

  #fire(): void {
    this.#firesAt = Number.POSITIVE_INFINITY
    const rest = this.#dueAt - performance.now()
    if (rest > 0) this.#arm(rest)
    else this.#onDue()
  }
}
