/** Asks a CLI to end the turn under way, and ends the CLI itself when it does not. */
export class Interruption {
  readonly #ask: () => void
  readonly #giveUp: () => void
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(ask: () => void, giveUp: () => void) {
    this.#ask = ask
    this.#giveUp = giveUp
  }

  /** Asks once for each turn. */
  begin(): void {
    if (this.#timer) return
    this.#timer = setTimeout(this.#giveUp, graceMs)
    this.#ask()
  }

  /** The turn begins only now. The CLI has not heeded what it was asked before, so it is asked again. */
  turnBegins(): void {
    if (this.#timer) this.#ask()
  }

  /** The turn has ended. */
  end(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}

const graceMs = 2000
