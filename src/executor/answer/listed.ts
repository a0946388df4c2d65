import { abortError } from '../../domain/abort.ts'
import { AnswerFold, sourcesOf, totalUsage } from '../../domain/answer.ts'
import type { Answer, ListRequest, Search, SearchEvent, SearchRequest, SearchResult } from '../../domain/search.ts'
import type { Executor, SearchContext } from '../executor.ts'

/** What a list has brought. */
export interface Listed extends Pick<Answer, 'searches' | 'usage' | 'model' | 'backend' | 'isDegraded'> {
  readonly notes: string
}

/** How many pages the writer gets: more would cost tokens and add little. */
const maxSources = 15

/** The list that an answer is written over: as many pages as one search finds, unless the caller wants so many. */
export function listRequest({ query, filters, effort, limit, offset, exclude, memory }: SearchRequest): ListRequest {
  return { query, filters, effort, limit, offset, exclude, memory, history: [], want: 'results' }
}

/** The list that an answer to a request is written over. */
export async function listedFor(
  { limit = maxSources }: SearchRequest,
  events: AsyncIterable<SearchEvent>,
): Promise<Listed> {
  const found = await listed(events)
  return { ...found, searches: withRows(found.searches, sourcesOf(found.searches).slice(0, limit)) }
}

/** Whether one search can find what a `standard` answer needs: a conversation or functions need an agent's own queries. */
export function isOneQuestion({ want, effort, query, history, continuation = [], tools = [] }: SearchRequest): boolean {
  if (want !== 'answer' || effort !== 'standard' || query.length > maxSearched) return false
  return history.length === 0 && continuation.length === 0 && tools.length === 0
}

/**
 * In characters. A document is no query: an agent writes its own, while the search server takes seconds for 100,000 and
 * ends at 200,000.
 */
export const maxSearched = 20_000

export async function listed(events: AsyncIterable<SearchEvent>): Promise<Listed> {
  const fold = new AnswerFold()
  const notes: string[] = []
  for await (const event of events) {
    fold.add(event)
    if (event.type === 'search-results' && event.notes) notes.push(event.notes)
  }
  const { searches, usage, model, backend, isDegraded } = fold.finish()
  return { searches, usage, model, backend, isDegraded, notes: notes.join('\n\n') }
}

/**
 * The rows with passages of their pages, where an answer is written over those. Where nearly no page could be read, and a
 * model has searched, it searches again and writes a line for each row.
 */
export async function* withWords(
  backend: Executor,
  found: Listed,
  request: SearchRequest,
  context: SearchContext,
): AsyncGenerator<SearchEvent, Listed, undefined> {
  const { pages } = context
  if (pages?.source !== 'pages') return found
  const { rows, isEnough } = yield* pages.fill(sourcesOf(found.searches), request)
  const read: Listed = { ...found, searches: withRows(found.searches, rows), notes: '' }
  if (isEnough || found.searches.every(({ model }) => model === undefined)) return read
  try {
    const again = await listedFor(request, backend.search({ ...listRequest(request), excerpts: 'lines' }, context))
    const words = new Map(rows.flatMap((row) => (row.snippet ? [[row.url, row]] : [])))
    const lines = sourcesOf(again.searches).map((row) => words.get(row.url) ?? row)
    const [first, ...others] = found.searches.map((search) => ({ ...search, results: [] }))
    const results = [...new Set([...lines, ...words.values()])]
    const usage = totalUsage([found.usage, again.usage])
    return { ...again, searches: first ? [{ ...first, results }, ...others] : [], usage }
  } catch (error) {
    if (context.signal.aborted) throw abortError(context.signal)
    context.trace?.note('The search for lines failed, so the answer rests on what pages came', error)
    return read
  }
}

function withRows(searches: readonly Search[], rows: readonly SearchResult[]): readonly Search[] {
  const byUrl = new Map(rows.map((row) => [row.url, row]))
  return searches.map((search) => ({ ...search, results: search.results.flatMap(({ url }) => byUrl.get(url) ?? []) }))
}
