export interface LivenessOptions {
  /** Asks for a sign of life. Settles when the process has answered, whatever it said. */
  readonly ask: () => Promise<unknown>
  /** Nothing has come, though it was asked: the process is stuck, or frozen. Called once. */
  readonly onSilence: () => void
  /** How often to look, in ms. Silence is asked after at the first look, and believed at the third; 2,500 by default. */
  readonly everyMs?: number | undefined
  /** Whether it is known to answer. Else it is judged only once it has. */
  readonly isKnownToAnswer?: boolean | undefined
}

/**
 * Tells a process that is stuck from one that has nothing to say yet. A model may think for minutes, and all that time
 * a CLI that lives answers when it is asked. One that has never answered is not judged.
 */
export class Liveness {
  readonly #options: LivenessOptions
  readonly #everyMs: number
  #timer: ReturnType<typeof setInterval> | undefined
  #working = 0
  #looks = 0
  #hasAnswered: boolean

  constructor(options: LivenessOptions) {
    this.#options = options
    this.#everyMs = options.everyMs ?? 2500
    this.#hasAnswered = options.isKnownToAnswer ?? false
  }

  /** Asks once, so that it is known whether this process answers at all. */
  ask(): void {
    const answered = () => {
      this.#hasAnswered = true
    }
    this.#options.ask().then(answered, answered)
  }

  /** Work begins. To be paired with `end`; several may overlap. */
  begin(): void {
    if (this.#working++ > 0) return
    this.#looks = 0
    this.#timer = setInterval(() => this.#look(), this.#everyMs)
  }

  end(): void {
    if (--this.#working === 0) clearInterval(this.#timer)
  }

  /** The process has said something that makes sense. */
  heard(): void {
    this.#looks = 0
  }

  #look(): void {
    if (!this.#hasAnswered) return
    this.#looks++
    if (this.#looks === 1) this.ask()
    if (this.#looks < 3) return
    clearInterval(this.#timer)
    this.#options.onSilence()
  }
}
