import { deferred } from '../../lib/deferred.ts'
import { UpstreamError } from '../../messages-api/upstream-error.ts'

/** One timer for all reads of a stream: starting one for each piece costs more than passing the piece on. */
export class Silence {
  readonly #ms: number
  readonly #timer: ReturnType<typeof setInterval>
  #waitsSince: number | undefined
  #fail: ((error: UpstreamError) => void) | undefined

  constructor(ms: number) {
    this.#ms = ms
    this.#timer = setInterval(() => this.#look(), Math.max(10, ms / 20))
  }

  /** What the read gives, or a failure when it gives nothing for so long. */
  async orSooner<Step>(read: Promise<Step>): Promise<Step> {
    const { promise, reject } = deferred<never>()
    this.#waitsSince = performance.now()
    this.#fail = reject
    try {
      return await Promise.race([read, promise])
    } finally {
      this.#waitsSince = undefined
      this.#fail = undefined
    }
  }

  end(): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    if (this.#waitsSince === undefined || performance.now() - this.#waitsSince < this.#ms) return
    this.#fail?.(new UpstreamError(504, `The upstream sent nothing for ${this.#ms / 1000} s.`))
  }
}
