import type { UpstreamContext } from '../upstream.ts'

/** Adds up the tokens of an upstream's replies since the start, and names the upstream in them. */
export class TokenTally {
  readonly #upstream: string
  #input = 0
  #cached = 0

  constructor(upstream: string) {
    this.#upstream = upstream
  }

  /** The part of all input tokens that a cache held. */
  get cachedShare(): number | undefined {
    return this.#input > 0 ? this.#cached / this.#input : undefined
  }

  /** A context whose replies are counted. */
  counting(context: UpstreamContext): UpstreamContext {
    const { trace } = context
    return {
      ...context,
      trace: {
        note: (message, error) => trace?.note(message, error),
        brokeOff: (error) => trace?.brokeOff?.(error),
        answered: (call) => {
          this.#input += call.inputTokens
          this.#cached += Math.min(call.cachedInputTokens, call.inputTokens)
          trace?.answered({ ...call, upstream: this.#upstream })
        },
      },
    }
  }
}
