import { toSearchError } from '../../../domain/error.ts'
import type { SearchEvent, SearchEvents, SearchRequest } from '../../../domain/search.ts'
import type { Executor, SearchContext } from '../../executor.ts'
import { layer } from '../layer.ts'

/**
 * Asks once more for a whole answer that was lost after it had begun, as when the home that wrote it disappears. Its
 * caller has seen none of it, so its events are held back until `done`. A stream is passed on as it comes.
 */
export function restarted(inner: Executor): Executor {
  return layer(inner, {
    search: (request, context) =>
      context.isWhole ? searchTwice(inner, request, context) : inner.search(request, context),
  })
}

async function* searchTwice(inner: Executor, request: SearchRequest, context: SearchContext): SearchEvents {
  for (let isSecond = false; ; isSecond = true) {
    const held: SearchEvent[] = []
    try {
      for await (const event of inner.search(request, context)) held.push(event)
    } catch (error) {
      const failure = toSearchError(error)
      const wasLost = failure.code === 'unavailable' && held.length > 0
      if (isSecond || !wasLost || context.signal.aborted) throw failure
      context.trace?.note(`${inner.name} was lost in the middle of an answer and is asked once more`, failure)
      continue
    }
    return yield* held
  }
}
