import type { SearchRequest } from '../../../domain/search.ts'

/** A search for pages alone. Without a `limit` the backend gives what it finds, which costs no more. */
export function resultsRequest(
  asked: Pick<SearchRequest, 'query'> & Partial<Pick<SearchRequest, 'limit' | 'offset' | 'filters'>>,
): SearchRequest {
  return { history: [], want: 'results', effort: 'fast', filters: {}, ...asked }
}
