import { SearchError, toSearchError } from '../../../domain/error.ts'
import type { SearchEvent } from '../../../domain/search.ts'

/**
 * Begins a search, and holds back events without content until one has content. Returns the failure of a search that fails
 * before that, so that something else may take its place; otherwise all of its events, which must be read or left.
 * Executors emit a search together with its results, so this delays nothing.
 */
export async function started(
  events: AsyncIterable<SearchEvent>,
): Promise<SearchError | AsyncIterableIterator<SearchEvent, undefined>> {
  const source = events[Symbol.asyncIterator]()
  const held: SearchEvent[] = []
  try {
    do {
      const { done, value } = await source.next()
      if (done) return new SearchError('failed', 'The search ended without a result.')
      held.push(value)
    } while (held.every(isPromise))
  } catch (error) {
    return toSearchError(error)
  }
  return {
    next() {
      const value = held.shift()
      return value ? Promise.resolve({ done: false, value }) : source.next().catch(failed)
    },
    async return() {
      await source.return?.()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  } satisfies AsyncIterableIterator<SearchEvent, undefined>
}

function failed(error: unknown): never {
  throw toSearchError(error)
}

/** The outline of a research counts as content: show it at once. */
function isPromise(event: SearchEvent): boolean {
  if (event.type === 'research') return event.step.kind !== 'outline'
  return ['cache', 'backend', 'search-start', 'reading'].includes(event.type)
}
