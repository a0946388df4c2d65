import { SearchError, toSearchError } from '../../../domain/error.ts'
import type { SearchEvent } from '../../../domain/search.ts'

/**
 * Passes the events of a search on, but holds back those without content until one has content. Returns the failure of
 * a search that fails before that, so that something else may take its place; throws a later failure. Executors emit a
 * search together with its results, so this delays nothing.
 */
export async function* startOrFail(
  events: AsyncIterable<SearchEvent>,
): AsyncGenerator<SearchEvent, SearchError | undefined, undefined> {
  const held: SearchEvent[] = []
  let hasBegun = false
  try {
    for await (const event of events) {
      if (!hasBegun) {
        held.push(event)
        if (isPromise(event)) continue
        hasBegun = true
        yield* held
      } else {
        yield event
      }
    }
  } catch (error) {
    const failure = toSearchError(error)
    if (hasBegun) throw failure
    return failure
  }
  return hasBegun ? undefined : new SearchError('failed', 'The search ended without a result.')
}

function isPromise({ type }: SearchEvent): boolean {
  return type === 'cache' || type === 'backend' || type === 'search-start'
}
