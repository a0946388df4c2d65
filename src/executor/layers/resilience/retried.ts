import { pause } from '@csp/lib/abort'
import { jitteredMs } from '@csp/lib/back-off'
import { abortError } from '../../../domain/abort.ts'
import { mayPassWithin, SearchError } from '../../../domain/error.ts'
import type { SearchEvents, SearchRequest } from '../../../domain/search.ts'
import type { Layer, SearchContext } from '../../executor.ts'
import { layer } from '../layer.ts'
import { started } from './started.ts'

export interface RetriedOptions {
  /** Tries after the first; 2 by default. */
  readonly retries?: number | undefined
  /** No try begins later than this after the first, in ms: it could not finish within the deadline. Absent: any may. */
  readonly giveUpAfterMs?: number | undefined
  /** Monotonic time, ms. */
  readonly now?: (() => number) | undefined
  /** Waits so many milliseconds, or until the signal aborts. */
  readonly pause?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined
}

/**
 * Retries failures that may pass within seconds, as long as nothing has been sent on: a backend that
 * cannot be reached, or is over a limit that ends at once. The waits grow, and no two callers wait equally long.
 */
export function retried(options: RetriedOptions = {}): Layer {
  const { retries = 2, giveUpAfterMs = Number.POSITIVE_INFINITY, now = () => performance.now() } = options
  const wait = options.pause ?? pause

  return (inner) => {
    let isClosed = false

    async function* search(request: SearchRequest, context: SearchContext): SearchEvents {
      const startedAt = now()
      for (let retry = 0; ; retry++) {
        const failure = await started(inner.search(request, context))
        if (!(failure instanceof SearchError)) return yield* failure
        const waitMs = Math.max(jitteredMs(retry, waits), (failure.retryAfterSeconds ?? 0) * 1000)
        const isTooLate = now() - startedAt + waitMs > giveUpAfterMs
        if (retry === retries || isClosed || isTooLate || !mayPassWithin(failure, maxWaitSeconds)) throw failure
        const seconds = (waitMs / 1000).toFixed(1)
        context.trace?.note(`${inner.name}: try ${retry + 1} failed, try ${retry + 2} begins in ${seconds} s`, failure)
        await wait(waitMs, context.signal)
        if (context.signal.aborted) throw abortError(context.signal)
      }
    }

    return layer(inner, {
      search,
      close() {
        isClosed = true
        return inner.close()
      },
    })
  }
}

const waits = { firstMs: 250, maxMs: 2000 }
const maxWaitSeconds = 2
