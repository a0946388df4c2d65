import { abortError } from '../../domain/abort.ts'
import { collect, sourcesOf, totalUsage } from '../../domain/answer.ts'
import { SearchError, traitsOf } from '../../domain/error.ts'
import type { Search, SearchEvent, SearchEvents, SearchRequest, SearchResult, Usage } from '../../domain/search.ts'
import { cutAtWord } from '../../lib/text.ts'
import type { Executor, SearchContext } from '../executor.ts'
import { nothingFound, reportSearch } from './events.ts'
import { GroundedText } from './grounding/grounded-text.ts'
import { plainSnippet } from './row-text.ts'
import { endAtStop } from './stop-sequences.ts'

/**
 * Adds written answers to a backend that only finds pages: the backend searches, then the writer writes from the
 * results. Without a writer, or when it is unavailable, the answer consists of excerpts of those pages, and says so in
 * its first line.
 */
export function answering(
  inner: Executor,
  writer: Pick<Executor, 'search'> | undefined,
  firstLine: (sources: readonly SearchResult[]) => string = () => introduction,
): Executor {
  return {
    name: inner.name,
    search: (request, context) =>
      request.want === 'results'
        ? inner.search(request, context)
        : answer({ inner, writer, firstLine }, request, context),
    supports: (request) =>
      request.want === 'results'
        ? (inner.supports?.(request) ?? true)
        : request.want === 'answer' && (writer !== undefined || !needsModel(request)),
    health: () => inner.health(),
    close: () => inner.close(),
  }
}

/** How many pages the writer gets: more would cost tokens and add little. */
const maxSources = 15

interface AnsweringParts {
  readonly inner: Executor
  readonly writer: Pick<Executor, 'search'> | undefined
  readonly firstLine: (sources: readonly SearchResult[]) => string
}

async function* answer(
  { inner, writer, firstLine }: AnsweringParts,
  request: SearchRequest,
  context: SearchContext,
): SearchEvents {
  if (context.signal.aborted) throw abortError(context.signal)
  if (request.want === 'text' || (!writer && needsModel(request))) throw noModel(inner)
  if (request.sources) {
    yield* reportSearch('sources', request.query, request.sources)
    const cost = { searches: 0, inputTokens: 0, outputTokens: 0 }
    if (writer && (yield* written(writer, request, request.sources, cost, context))) return
    return yield* excerptAnswer(request.sources, introduction, { usage: cost, model: inner.name, isDegraded: true })
  }
  const { query, filters, effort, limit = maxSources, offset, exclude, memory } = request
  const list = { query, filters, effort, limit, offset, exclude, memory, history: [], want: 'results' } as const
  const found = await collect(inner.search(list, context))
  const { usage, model } = found
  for (const { results: _, ...search } of found.searches) yield { type: 'search-start', ...search }
  const searches = writer ? yield* overPages(found.searches, request, context) : found.searches
  for (const { id, results } of searches) yield { type: 'search-results', id, results }
  const sources = sourcesOf(searches)
  const isDone = writer && (sources.length > 0 || needsModel(request))
  if (isDone && (yield* written(writer, request, sources, usage, context))) return
  const { stop = [] } = request
  const excerpts = excerptAnswer(sources, firstLine(sources), {
    usage,
    model,
    isDegraded: writer !== undefined && sources.length > 0,
  })
  yield* stop.length > 0 ? endAtStop(excerpts, stop, () => {}) : excerpts
}

/** Searches whose rows have passages of their pages, where an answer is written over those. */
async function* overPages(
  searches: readonly Search[],
  request: SearchRequest,
  { pages }: SearchContext,
): AsyncGenerator<SearchEvent, readonly Search[], undefined> {
  if (pages?.source !== 'pages') return searches
  const { rows } = yield* pages.fill(sourcesOf(searches), request)
  const byUrl = new Map(rows.map((row) => [row.url, row]))
  return searches.map((search) => ({ ...search, results: search.results.flatMap(({ url }) => byUrl.get(url) ?? []) }))
}

/** Returns whether the writer wrote the answer. `false` only before its first event. */
async function* written(
  writer: Pick<Executor, 'search'>,
  request: SearchRequest,
  sources: readonly SearchResult[],
  usage: Usage,
  context: SearchContext,
): AsyncGenerator<SearchEvent, boolean, undefined> {
  let hasBegun = false
  try {
    for await (const event of writer.search({ ...request, sources }, context)) {
      // The sources have been reported already.
      if (event.type === 'search-start' || event.type === 'search-results') continue
      hasBegun = true
      yield event.type === 'done' ? { ...event, usage: totalUsage([event.usage, usage]) } : event
    }
    return true
  } catch (error) {
    if (context.signal.aborted) throw abortError(context.signal)
    const isOutage = error instanceof SearchError && traitsOf(error.code).isOutage
    if (hasBegun || !isOutage || needsModel(request)) throw error
    context.trace?.replaced('the writer', error)
    return false
  }
}

/** Whether the request cannot be answered with excerpts. */
function needsModel({ tools = [], toolChoice, schema, draft, continuation = [] }: SearchRequest): boolean {
  return (
    schema !== undefined ||
    draft !== undefined ||
    continuation.length > 0 ||
    (tools.length > 0 && toolChoice !== 'none')
  )
}

async function* excerptAnswer(
  sources: readonly SearchResult[],
  firstLine: string,
  end: Pick<Extract<SearchEvent, { type: 'done' }>, 'usage' | 'model' | 'isDegraded'>,
) {
  const text = new GroundedText()
  text.write(sources.length > 0 ? firstLine : nothingFound)
  for (const [index, source] of sources.slice(0, maxExcerpts).entries()) {
    text.write(`\n- ${excerptOf(source)}`)
    text.separate()
    text.cite(index + 1, source)
  }
  yield* text.finish()
  yield { type: 'done', reason: 'stop', ...end } as const
}

const introduction = 'No model could write an answer just now. These are excerpts of the pages that the search found:\n'
const maxExcerpts = 8
const maxExcerptLength = 280

/** One line. Brackets go: `[n]` in a page's own text would look like one of our markers. */
function excerptOf({ title, url, snippet }: SearchResult): string {
  const parts = [plainSnippet(title) ?? new URL(url).hostname, plainSnippet(snippet ?? '')]
  const line = parts.filter(Boolean).join(': ').replace(/[[\]]/g, '')
  return line.length <= maxExcerptLength ? line : `${cutAtWord(line, maxExcerptLength)}…`
}

function noModel({ name }: Executor): SearchError {
  return new SearchError('invalid-request', `The backend ${name} only finds pages; this request needs a model.`)
}
