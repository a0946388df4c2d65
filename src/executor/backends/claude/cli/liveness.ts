export interface LivenessOptions {
  /** Asks for a sign of life. Settles on any answer of the process. */
  readonly ask: () => Promise<unknown>
  /** The process did not answer: it is stuck or frozen. Called once. */
  readonly onSilence: () => void
  /** How often to check, in ms; 2,500 by default. The first silent check asks, the third gives up. */
  readonly everyMs?: number | undefined
  /** Whether it is known to answer. Otherwise it is judged only after its first answer. */
  readonly isKnownToAnswer?: boolean | undefined
}

/**
 * Distinguishes a stuck process from one that has nothing to say yet. A model may think for minutes, but a live CLI
 * answers when asked. A process that has never answered is not judged.
 */
export class Liveness {
  readonly #options: LivenessOptions
  readonly #everyMs: number
  #timer: ReturnType<typeof setInterval> | undefined
  #working = 0
  #checks = 0
  #hasAnswered: boolean

  constructor(options: LivenessOptions) {
    this.#options = options
    this.#everyMs = options.everyMs ?? 2500
    this.#hasAnswered = options.isKnownToAnswer ?? false
  }

  /** Asks once, to learn whether this process answers at all. */
  ask(): void {
    const answered = () => {
      this.#hasAnswered = true
    }
    this.#options.ask().then(answered, answered)
  }

  /** Work begins. Each `begin` needs an `end`; they may overlap. */
  begin(): void {
    if (this.#working++ > 0) return
    this.#checks = 0
    this.#timer = setInterval(() => this.#check(), this.#everyMs)
  }

  end(): void {
    if (--this.#working === 0) clearInterval(this.#timer)
  }

  /** The process has written a valid message. */
  heard(): void {
    this.#checks = 0
  }

  #check(): void {
    if (!this.#hasAnswered) return
    this.#checks++
    if (this.#checks === 1) this.ask()
    if (this.#checks < 3) return
    clearInterval(this.#timer)
    this.#options.onSilence()
  }
}
