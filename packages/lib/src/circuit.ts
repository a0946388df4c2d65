import { backOffMs } from './back-off.ts'

/** The clock and the observer of a circuit. */
export interface CircuitOptions<Failure> {
  /** Monotonic time, ms. */
  readonly now: () => number
  readonly onChange?: ((change: CircuitChange<Failure>) => void) | undefined
}

/** A change of the state of a circuit. */
export type CircuitChange<Failure> =
  | { readonly to: 'open'; readonly failure: Failure; readonly failures: number; readonly ms: number }
  | { readonly to: 'half-open' | 'closed' }

/** Why nothing passes. */
export interface OpenCircuit<Failure> {
  /** The last one. */
  readonly failure: Failure
  readonly failures: number
  /** Until one request may try; 0 or less while one tries. */
  readonly msLeft: number
}

/** Takes the outcome of a request. If neither function is called, the circuit learns nothing. */
export interface CircuitOutcome<Failure> {
  /** The request succeeded: the circuit closes. */
  answered(): void
  /** `ms`: a cool-down of its own, in place of the one that doubles. */
  failed(failure: Failure, ms?: number): void
}

/**
 * The core of a circuit breaker, whatever it protects: five failures in a row open it for a while, which doubles each time;
 * then one request tries.
 */
export class Circuit<Failure> {
  readonly #now: () => number
  readonly #onChange: (change: CircuitChange<Failure>) => void
  #failures = 0
  #openings = 0
  #openedInARow = 0
  #isProbing = false
  #coolDown: { readonly until: number; readonly failure: Failure } | undefined

  constructor({ now, onChange = () => {} }: CircuitOptions<Failure>) {
    this.#now = now
    this.#onChange = onChange
  }

  /** In a row, so far. */
  get failures(): number {
    return this.#failures
  }

  /** Why the circuit opened, as long as nothing has been answered since. */
  get opened(): OpenCircuit<Failure> | undefined {
    if (!this.#coolDown) return undefined
    const { until, failure } = this.#coolDown
    return { failure, failures: this.#failures, msLeft: until - this.#now() }
  }

  /** Why a request may not pass now. */
  get refusal(): OpenCircuit<Failure> | undefined {
    const { opened } = this
    return opened && (opened.msLeft > 0 || this.#isProbing) ? opened : undefined
  }

  /** Lets a request pass that is not refused. Returns the function to call when it has ended. */
  enter(): () => void {
    if (!this.#coolDown) return () => {}
    this.#onChange({ to: 'half-open' })
    this.#isProbing = true
    let hasLeft = false
    return () => {
      if (!hasLeft) this.#isProbing = false
      hasLeft = true
    }
  }

  /** Notes that a request begins now. One that began before the circuit opened says nothing about the time since. */
  begin(): CircuitOutcome<Failure> {
    const openings = this.#openings
    return {
      answered: () => {
        if (openings === this.#openings) this.close()
      },
      failed: (failure, ms) => {
        if (openings !== this.#openings) return
        this.#failures++
        if (this.#failures >= failuresToOpen) this.#open(failure, ms)
      },
    }
  }

  #open(failure: Failure, given: number | undefined): void {
    const ms = given ?? backOffMs(this.#openedInARow, coolDowns)
    if (given === undefined) this.#openedInARow++
    this.#openings++
    this.#coolDown = { until: this.#now() + ms, failure }
    this.#onChange({ to: 'open', failure, failures: this.#failures, ms })
  }

  /** Lets everything pass again. */
  close(): void {
    if (this.#coolDown) this.#onChange({ to: 'closed' })
    this.#coolDown = undefined
    this.#failures = 0
    this.#openedInARow = 0
  }
}

const failuresToOpen = 5
const coolDowns = { firstMs: 10_000, maxMs: 300_000 }
