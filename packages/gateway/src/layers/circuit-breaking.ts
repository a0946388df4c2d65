import { attended } from '@csp/lib/attended'
import { Circuit, type OpenCircuit } from '@csp/lib/circuit'
import { abortedCall, toUpstreamError, UpstreamError } from '@csp/messages-api/upstream-error'
import type { CallLayer } from './call.ts'

export interface UpstreamBreakerOptions {
  /** The upstream's name, for messages. */
  readonly name: string
  /** Called at each change of state. */
  readonly log?: ((message: string) => void) | undefined
  /** Monotonic time, ms. */
  readonly now?: (() => number) | undefined
}

/** What is kept of a failure: its message may quote one caller, and all of them are told. */
type Kind = Pick<UpstreamError, 'status' | 'type'>

/** Decides whether an upstream is asked: not for a while after five calls in a row that it could not begin to answer. */
export class UpstreamBreaker {
  readonly #name: string
  readonly #circuit: Circuit<Kind>

  constructor({ name, log = () => {}, now = () => performance.now() }: UpstreamBreakerOptions) {
    this.#name = name
    this.#circuit = new Circuit({
      now,
      onChange(change) {
        if (change.to === 'closed') log(`The upstream ${name} answers again.`)
        if (change.to === 'half-open') log(`The upstream ${name} is tried again.`)
        if (change.to === 'open')
          log(
            `The upstream ${name} has failed ${change.failures} times in a row; tried again in ${change.ms / 1000} s.`,
          )
      },
    })
  }

  /** Why a call would be refused now. */
  get problem(): string | undefined {
    const { refusal } = this.#circuit
    return refusal && this.#wordsFor(refusal)
  }

  /** The gate, before the queue: a call that it refuses fails at once. A call that has begun to be answered has passed. */
  readonly gated: CallLayer = (inner) => (context) =>
    attended(() => {
      if (context.signal.aborted) throw abortedCall(context.signal)
      const leave = this.enter()
      return { items: inner(context), onItem: leave, onEnd: leave }
    })

  /** The observer, behind the queue. A server that begins to answer is there, also when it breaks off later. */
  readonly observed: CallLayer = (inner) => (context) =>
    attended(() => {
      const tell = this.begin()
      return {
        items: inner(context),
        onItem: () => tell(),
        failure(error) {
          const failure = toUpstreamError(error)
          if (!context.signal.aborted) tell(failure)
          return failure
        },
      }
    })

  /** Lets a call in, and returns the function to call when it has begun to be answered or ended; or throws why not. */
  enter(): () => void {
    const { refusal } = this.#circuit
    if (!refusal) return this.#circuit.enter()
    const retryAfterSeconds = Math.max(1, Math.ceil(refusal.msLeft / 1000))
    throw new UpstreamError(503, this.#wordsFor(refusal), { retryAfterSeconds })
  }

  /** Notes that the upstream is asked now. Returns the function that tells the outcome; only the first one counts. */
  begin(): (failure?: UpstreamError) => void {
    const circuit = this.#circuit.begin()
    let isTold = false
    return (failure) => {
      if (isTold) return
      isTold = true
      if (failure && saysServerIsDown(failure)) circuit.failed({ status: failure.status, type: failure.type })
      else circuit.answered()
    }
  }

  #wordsFor({ failure: { status, type }, failures, msLeft }: OpenCircuit<Kind>): string {
    const when = msLeft > 0 ? `is asked again in ${Math.ceil(msLeft / 1000)} s` : 'is being asked again'
    return `The upstream ${this.#name} has failed ${failures} times in a row, and ${when}. The last failure: ${status} (${type}).`
  }
}

/** A limit, a wrong key or a wrong request is an answer of a server that is there. */
function saysServerIsDown({ status }: UpstreamError): boolean {
  return status >= 500
}
