import { maxTimerMs } from '@csp/lib/abort'
import { attended } from '@csp/lib/attended'
import { SearchError } from '../../../domain/error.ts'
import type { SearchEvents, SearchRequest } from '../../../domain/search.ts'
import type { Executor, Layer, SearchContext } from '../../executor.ts'
import { layer } from '../layer.ts'

export interface DeadlineOptions {
  /** From the first `next()` of a search to its `done`. 0: no deadline. */
  readonly timeoutMs: number
}

/** A deadline for each search. When it passes, the work is stopped and the search fails with `timeout`. */
export function deadline({ timeoutMs }: DeadlineOptions): Layer {
  if (timeoutMs <= 0) return (inner) => inner
  return (inner) =>
    layer(inner, {
      search: (request, context) => searchInTime(inner, request, context, Math.min(timeoutMs, maxTimerMs)),
    })
}

function searchInTime(
  inner: Executor,
  request: SearchRequest,
  context: SearchContext,
  timeoutMs: number,
): SearchEvents {
  return attended(() => {
    const own = new AbortController()
    const message = `The search took longer than ${timeoutMs / 1000} s. A larger --timeout (CSP_TIMEOUT) gives it more.`
    const expired = new DOMException(message, 'TimeoutError')
    const timer = setTimeout(() => own.abort(expired), timeoutMs)
    const signal = AbortSignal.any([context.signal, own.signal])
    return {
      items: inner.search(request, { ...context, signal }),
      onEnd: () => clearTimeout(timer),
      failure: (error) => (signal.reason === expired ? new SearchError('timeout', message, { cause: error }) : error),
    }
  })
}
