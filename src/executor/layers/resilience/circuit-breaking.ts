import { abortError } from '../../../domain/abort.ts'
import { toSearchError } from '../../../domain/error.ts'
import type { ExecutorHealth } from '../../../domain/health.ts'
import type { SearchEvent, SearchEvents, SearchRequest } from '../../../domain/search.ts'
import type { Layer, SearchContext, Writer } from '../../executor.ts'
import { delegate } from '../delegate.ts'
import type { Breaker, Outcome } from './breaker.ts'

/**
 * Asks the breaker before the line, so that whoever is refused is so at once; and tells it behind the line how the
 * search went, so that it knows before the place goes to the next.
 */
export function guarded(breaker: Breaker, line: Layer): Layer {
  return (inner) => {
    const behind = line({ ...delegate(inner), search: (...asked) => watch(breaker, inner.search(...asked), ...asked) })
    return {
      ...delegate(behind),
      search: (...asked) => pass(breaker, behind.search(...asked), ...asked),
      health: async () => withBreaker(await behind.health(), breaker),
    }
  }
}

/** A writer that is asked only while its backend is, and whose failures count as the backend's. */
export function guardedWriter(breaker: Breaker, writer: Writer): Writer {
  return {
    write: (request, sources, context) => {
      const text = watch(breaker, writer.write(request, sources, context), request, context)
      return pass(breaker, text, request, context)
    },
  }
}

async function* pass(
  breaker: Breaker,
  events: AsyncIterable<SearchEvent>,
  request: SearchRequest,
  context: SearchContext,
): SearchEvents {
  if (context.signal.aborted) throw abortError(context.signal)
  const leave = breaker.enter(request)
  try {
    yield* events
  } finally {
    leave()
  }
}

async function* watch(
  breaker: Breaker,
  events: AsyncIterable<SearchEvent>,
  request: SearchRequest,
  context: SearchContext,
): SearchEvents {
  const end = breaker.begin(request)
  let outcome: Outcome = 'left'
  try {
    for await (const event of events) {
      if (event.type === 'done') outcome = 'answered'
      yield event
    }
  } catch (error) {
    const failure = toSearchError(error)
    // Whoever leaves, or had a deadline of its own, tells nothing of the backend.
    outcome = context.signal.aborted ? 'left' : failure
    throw failure
  } finally {
    end(outcome)
  }
}

function withBreaker(found: ExecutorHealth, breaker: Breaker): ExecutorHealth {
  const { health } = breaker
  const isOpen = health.state === 'open'
  const backends = found.backends.map((backend) => ({
    ...backend,
    ready: backend.ready && !isOpen,
    problem: backend.problem ?? (isOpen ? breaker.problem : undefined),
    breaker: health,
  }))
  return { ...found, ready: found.ready && !isOpen, backends }
}
