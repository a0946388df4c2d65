import { abortError } from '../../../domain/abort.ts'
import { toSearchError } from '../../../domain/error.ts'
import type { BackendHealth, ExecutorHealth } from '../../../domain/health.ts'
import type { SearchEvent, SearchEvents, SearchRequest } from '../../../domain/search.ts'
import { attended } from '../../../lib/attended.ts'
import type { Layer, SearchContext, Writer } from '../../executor.ts'
import { layer } from '../layer.ts'
import type { Breaker } from './breaker.ts'
import { limitReached } from './usage-limits.ts'

/** The breaker's gate, before the queue: a search that it rejects fails at once. */
export function gated(breaker: Breaker): Layer {
  return (inner) =>
    layer(inner, {
      search: (...asked) => pass(breaker, inner.search(...asked), ...asked),
      health: async () => withBreaker(await inner.health(), breaker),
    })
}

/** The breaker's observer, behind the queue: it learns the outcome before the place goes to the next search. */
export function observed(breaker: Breaker): Layer {
  return (inner) => layer(inner, { search: (...asked) => watch(breaker, inner.search(...asked), ...asked) })
}

/** A writer that is asked only while the breaker of its backend is closed, and whose failures count as the backend's. */
export function writerWithBreaker(breaker: Breaker, writer: Writer): Writer {
  return {
    write: (request, sources, context) => {
      const text = watch(breaker, writer.write(request, sources, context), request, context)
      return pass(breaker, text, request, context)
    },
  }
}

function pass(
  breaker: Breaker,
  items: AsyncIterable<SearchEvent>,
  request: SearchRequest,
  { signal }: SearchContext,
): SearchEvents {
  return attended(() => {
    if (signal.aborted) throw abortError(signal)
    return { items, onEnd: breaker.enter(request) }
  })
}

function watch(
  breaker: Breaker,
  items: AsyncIterable<SearchEvent>,
  request: SearchRequest,
  { signal }: SearchContext,
): SearchEvents {
  return attended(() => {
    const ended = breaker.begin(request)
    return {
      items,
      onItem: ({ type }) => type === 'done' && ended('answered'),
      failure(error) {
        const failure = toSearchError(error)
        // A caller that leaves, or whose own deadline passes, says nothing about the backend.
        if (!signal.aborted) ended(failure)
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
