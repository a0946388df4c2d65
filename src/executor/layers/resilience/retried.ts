import { ExponentialBackoff } from 'cockatiel'
import { interruptible } from '../../../domain/abort.ts'
import { mayPassWithin } from '../../../domain/error.ts'
import type { SearchEvents, SearchRequest } from '../../../domain/search.ts'
import type { Executor, Layer, SearchContext } from '../../executor.ts'
import { startOrFail } from './start-or-fail.ts'

export interface RetriedOptions {
  /** Tries after the first; 2 by default. */
  readonly retries?: number | undefined
  /** No try begins later than this after the first, in ms: it could not finish within the deadline. Absent: any may. */
  readonly giveUpAfterMs?: number | undefined
  /** Milliseconds of a clock that never goes back. */
  readonly now?: (() => number) | undefined
  /** Waits so many milliseconds, or throws when the signal aborts. */
  readonly pause?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined
}

/**
 * Tries again what fails and may pass by itself within seconds, as long as nothing has been sent on: a backend that
 * cannot be reached, or is over a limit that ends at once. The waits grow, and no two callers wait equally long.
 */
export function retried(options: RetriedOptions = {}): Layer {
  return (inner) => new RetriedExecutor(inner, options)
}

class RetriedExecutor implements Executor {
  readonly name: string
  readonly #inner: Executor
  readonly #retries: number
  readonly #giveUpAfterMs: number
  readonly #now: () => number
  readonly #pause: (ms: number, signal: AbortSignal) => Promise<void>
  #closed = false

  constructor(inner: Executor, options: RetriedOptions) {
    this.name = inner.name
    this.#inner = inner
    this.#retries = options.retries ?? 2
    this.#giveUpAfterMs = options.giveUpAfterMs ?? Number.POSITIVE_INFINITY
    this.#now = options.now ?? (() => performance.now())
    this.#pause = options.pause ?? pause
  }

  async *search(request: SearchRequest, context: SearchContext): SearchEvents {
    const startedAt = this.#now()
    let backoff = waits.next()
    for (let retry = 0; ; retry++) {
      const failure = yield* startOrFail(this.#inner.search(request, context))
      if (!failure) return
      const waitMs = Math.max(backoff.duration, (failure.retryAfterSeconds ?? 0) * 1000)
      const isTooLate = this.#now() - startedAt + waitMs > this.#giveUpAfterMs
      if (retry === this.#retries || this.#closed || isTooLate || !mayPassWithin(failure, maxWaitSeconds)) throw failure
      await this.#pause(waitMs, context.signal)
      backoff = backoff.next(undefined)
    }
  }

  supports(request: SearchRequest): boolean {
    return this.#inner.supports?.(request) ?? true
  }

  health() {
    return this.#inner.health()
  }

  close() {
    this.#closed = true
    return this.#inner.close()
  }
}

const waits = new ExponentialBackoff({ initialDelay: 250, maxDelay: 2000 })
const maxWaitSeconds = 2

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  const passed = Promise.withResolvers<void>()
  const timer = setTimeout(passed.resolve, ms)
  try {
    await interruptible(passed.promise, signal)
  } finally {
    clearTimeout(timer)
  }
}
