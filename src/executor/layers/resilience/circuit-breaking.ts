import { attended } from '@csp/lib/attended'
import { abortError } from '../../../domain/abort.ts'
import { toSearchError } from '../../../domain/error.ts'
import type { BackendHealth, ExecutorHealth } from '../../../domain/health.ts'
import type { SearchEvents, SearchRequest } from '../../../domain/search.ts'
import type { Executor, Layer, SearchContext } from '../../executor.ts'
import { layer, nothingReady } from '../layer.ts'
import type { Breaker } from './breaker.ts'
import { limitReached } from './usage-limits.ts'

/** The breaker's gate, before the queue: a search that it rejects fails at once. */
export function gated(breaker: Breaker): Layer {
  return (inner) =>
    layer(inner, {
      search: (...asked) => pass(breaker, inner, ...asked),
      async prepare(request, context) {
        const refusal = breaker.refusal(request)
        if (refusal) throw refusal
        return inner.prepare?.(request, context) ?? nothingReady()
      },
      health: async () => withBreaker(await inner.health(), breaker),
    })
}

/** The breaker's observer, behind the queue: it learns the outcome before the place goes to the next search. */
export function observed(breaker: Breaker): Layer {
  return (inner) => layer(inner, { search: (...asked) => watch(breaker, inner, ...asked) })
}

function pass(breaker: Breaker, inner: Executor, request: SearchRequest, context: SearchContext): SearchEvents {
  return attended(() => {
    if (context.signal.aborted) throw abortError(context.signal)
    const onEnd = breaker.enter(request)
    return { items: inner.search(request, context), onEnd }
  })
}

function watch(breaker: Breaker, inner: Executor, request: SearchRequest, context: SearchContext): SearchEvents {
  return attended(() => {
    const ended = breaker.begin(request)
    return {
      items: inner.search(request, context),
      onItem: ({ type }) => type === 'done' && ended('answered'),
      failure(error) {
        const failure = toSearchError(error)
        // A caller that leaves, or whose own deadline passes, says nothing about the backend.
        if (!context.signal.aborted) ended(failure)
        return failure
      },
    }
  })
}

function withBreaker(found: ExecutorHealth, breaker: Breaker): ExecutorHealth {
  const { health, lastFailure, lastSearchFailed, limitedUntil } = breaker
  const isOpen = health.state === 'open'
  const backends = found.backends.map(
    (backend): BackendHealth => ({
      ...backend,
      ready: backend.ready && !isOpen,
      problem: backend.problem ?? (isOpen ? breaker.problem : undefined),
      breaker: health,
      rateLimit: limitedUntil === undefined ? backend.rateLimit : limitReached(backend.rateLimit, limitedUntil),
      lastError: backend.lastError ?? lastFailure,
      ...(lastSearchFailed !== undefined && { lastSearchFailed }),
    }),
  )
  return { ...found, ready: found.ready && !isOpen, backends }
}
