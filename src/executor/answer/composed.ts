import { abortError } from '../../domain/abort.ts'
import { AnswerFold, sourcesOf, totalUsage } from '../../domain/answer.ts'
import { SearchError, toSearchError, traitsOf } from '../../domain/error.ts'
import type {
  Answer,
  Search,
  SearchEvent,
  SearchEvents,
  SearchRequest,
  SearchResult,
  Usage,
} from '../../domain/search.ts'
import { attended } from '../../lib/attended.ts'
import type { Executor, SearchContext } from '../executor.ts'
import { clientToolsFor } from './client-tools.ts'
import { reportSearch } from './events.ts'
import { excerptAnswer, needsModel } from './excerpt-answer.ts'
import { JsonShape } from './json/shape.ts'
import type { SourcePages } from './source-pages.ts'

/** What is asked for an answer over `sources`. */
export type Writer = Pick<Executor, 'search'>

export interface ComposedParts {
  /** Who writes over the pages that a backend lists, in the order in which they are asked. */
  readonly writers?: readonly Writer[] | undefined
  /** The pages of this one answer. Absent if none may be read. */
  readonly pages?: Pick<SourcePages, 'source' | 'fill'> | undefined
}

/**
 * Puts the answers of a backend together that it does not make by itself: it lists, the pages are read, and the first
 * writer that can writes. Where none can, the answer consists of excerpts of the pages, and says so in its first line.
 */
export function composed(backend: Executor, { writers = [], pages }: ComposedParts = {}): Executor {
  const parts: Parts = { backend, writers, pages }
  const supports = (request: SearchRequest) => backend.supports?.(request) ?? true
  return {
    name: backend.name,
    search: (request, context) =>
      request.want === 'answer'
        ? attended(async () => ({ items: await answerOf(parts, request, context) }))
        : backend.search(request, context),
    supports: (request) =>
      supports(request) ||
      (request.want === 'answer' && (writers.length > 0 || !needsModel(request)) && supports(listOf(request))),
    health: () => backend.health(),
    close: () => backend.close(),
  }
}

/** How many pages the writer gets: more would cost tokens and add little. */
const maxSources = 15

interface Parts {
  readonly backend: Executor
  readonly writers: readonly Writer[]
  readonly pages: ComposedParts['pages']
}

/** What a list has brought. */
interface Listed extends Pick<Answer, 'searches' | 'usage' | 'model'> {
  readonly notes: string
}

async function answerOf(
  parts: Parts,
  request: SearchRequest,
  context: SearchContext,
): Promise<AsyncIterable<SearchEvent>> {
  const { backend, writers } = parts
  if (context.signal.aborted) throw abortError(context.signal)
  const isAble = backend.supports?.(request) ?? true
  const isOwn =
    isAble && (request.sources || writers.length === 0 || ((await backend.answers?.(request, context)) ?? true))
  if (isOwn) return orOverPages(parts, request, context)
  if (writers.length === 0 && needsModel(request)) throw noModel(backend)
  return request.sources ? overSources(parts, request, request.sources, context) : overList(parts, request, context)
}

/** An answer that its backend makes by itself. One that ends without a word is written over the pages that it found. */
function orOverPages(parts: Parts, request: SearchRequest, context: SearchContext): AsyncIterable<SearchEvent> {
  const events = parts.backend.search(request, context)
  return parts.writers.length > 0 && !request.sources ? wordsFor(parts, events, request, context) : events
}

async function* wordsFor(
  parts: Parts,
  events: AsyncIterable<SearchEvent>,
  request: SearchRequest,
  context: SearchContext,
): SearchEvents {
  const fold = new AnswerFold()
  for await (const event of events) {
    fold.add(event)
    if (event.type !== 'done') {
      yield event
      continue
    }
    const { text, toolCalls, searches, usage, model } = fold.finish()
    const hasEnded = text !== '' || toolCalls.length > 0 || event.reason !== 'stop' || event.stopSequence !== undefined
    if (hasEnded || sourcesOf(searches).length === 0) yield event
    else {
      const filled = yield* withWords(parts, { searches, usage, model, notes: '' }, request, context)
      yield* writtenOver(parts, request, filled, context)
    }
  }
}

async function* overSources(
  parts: Parts,
  request: SearchRequest,
  sources: readonly SearchResult[],
  context: SearchContext,
): SearchEvents {
  yield* reportSearch('sources', request.query, sources)
  const searches = [{ id: 'sources', query: request.query, results: sources }]
  const usage = { searches: 0, inputTokens: 0, outputTokens: 0 }
  yield* writtenOver(parts, request, { searches, usage, model: parts.backend.name, notes: '' }, context)
}

async function* overList(parts: Parts, request: SearchRequest, context: SearchContext): SearchEvents {
  const { backend, pages } = parts
  checkShape(request)
  const excerpts = pages?.source === 'pages' ? ('none' as const) : undefined
  const found = await list(backend.search({ ...listOf(request), ...(excerpts && { excerpts }) }, context))
  for (const { results: _, ...search } of found.searches) yield { type: 'search-start', ...search }
  const filled = yield* withWords(parts, found, request, context)
  for (const { id, results } of filled.searches) yield { type: 'search-results', id, results }
  yield* writtenOver(parts, request, filled, context)
}

/** Throws before a search is paid for. */
function checkShape(request: SearchRequest): void {
  if (request.schema) new JsonShape(request.schema)
  clientToolsFor(request)
}

function listOf({ query, filters, effort, limit = maxSources, offset, exclude, memory }: SearchRequest): SearchRequest {
  return { query, filters, effort, limit, offset, exclude, memory, history: [], want: 'results' }
}

async function list(events: AsyncIterable<SearchEvent>): Promise<Listed> {
  const fold = new AnswerFold()
  const notes: string[] = []
  for await (const event of events) {
    fold.add(event)
    if (event.type === 'search-results' && event.notes) notes.push(event.notes)
  }
  const { searches, usage, model } = fold.finish()
  return { searches, usage, model, notes: notes.join('\n\n') }
}

/**
 * The rows with passages of their pages, where an answer is written over those. Where nearly no page could be read, and a
 * model has searched, it searches again and writes a line for each row.
 */
async function* withWords(
  { backend, pages }: Parts,
  found: Listed,
  request: SearchRequest,
  context: SearchContext,
): AsyncGenerator<SearchEvent, Listed, undefined> {
  if (pages?.source !== 'pages') return found
  const { rows, isEnough } = yield* pages.fill(sourcesOf(found.searches), request)
  const read: Listed = { ...found, searches: withRows(found.searches, rows), notes: '' }
  if (isEnough || found.searches.every(({ model }) => model === undefined)) return read
  try {
    const again = await list(backend.search({ ...listOf(request), excerpts: 'lines' }, context))
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

/** The text over a list, to `done`. */
async function* writtenOver(parts: Parts, request: SearchRequest, found: Listed, context: SearchContext): SearchEvents {
  const { writers } = parts
  const { usage, model, notes } = found
  const sources = sourcesOf(found.searches)
  const writes = writers.length > 0 && (sources.length > 0 || needsModel(request))
  const asked = { ...request, sources, ...(notes && { notes }) }
  if (writes && (yield* written(parts, asked, usage, context))) return
  const isDegraded = writers.length > 0 && sources.length > 0
  yield* excerptAnswer(sources, request, { usage, model, isDegraded })
}

/** Returns whether a writer wrote the answer. `false` only before the first event, and where excerpts may stand in. */
async function* written(
  { backend, writers }: Parts,
  request: SearchRequest,
  usage: Usage,
  context: SearchContext,
): AsyncGenerator<SearchEvent, boolean, undefined> {
  const failures: { readonly failure: SearchError; readonly mayPass: boolean }[] = []
  for (const writer of writers) {
    let hasBegun = false
    try {
      for await (const event of writer.search(request, context)) {
        // The sources have been reported already, and the backend is the one that lists.
        if (['backend', 'search-start', 'search-results'].includes(event.type)) continue
        hasBegun = true
        yield event.type === 'done' ? { ...event, usage: totalUsage([event.usage, usage]) } : event
      }
      return true
    } catch (error) {
      if (context.signal.aborted) throw abortError(context.signal)
      const failure = toSearchError(error)
      if (hasBegun || traitsOf(failure.code).isCallerFault) throw failure
      // What is wrong with a backend must not look like a model that is tired.
      const mayPass = writer === backend ? failure.code === 'rate-limited' : traitsOf(failure.code).isOutage
      failures.push({ failure, mayPass })
      if (failures.length < writers.length || mayPass) context.trace?.replaced('the writer', failure)
    }
  }
  const lasting = failures.find(({ mayPass }) => !mayPass || needsModel(request))
  if (lasting) throw lasting.failure
  return false
}

function noModel({ name }: Executor): SearchError {
  return new SearchError('invalid-request', `The backend ${name} only finds pages; this request needs a model.`)
}
