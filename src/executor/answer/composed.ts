import { attended } from '@csp/lib/attended'
import { abortError } from '../../domain/abort.ts'
import { AnswerFold, sourcesOf, totalUsage } from '../../domain/answer.ts'
import { SearchError, toSearchError, traitsOf } from '../../domain/error.ts'
import type {
  AnswerRequest,
  SearchEvent,
  SearchEvents,
  SearchRequest,
  SearchResult,
  Usage,
} from '../../domain/search.ts'
import type { Executor, SearchContext } from '../executor.ts'
import { clientToolsFor } from './client-tools.ts'
import { reportSearch } from './events.ts'
import { excerptAnswer, needsModel } from './excerpt-answer.ts'
import { JsonShape } from './json/shape.ts'
import { isOneQuestion, type Listed, listedFor, listRequest, withWords } from './listed.ts'

/** The part of an executor that writes an answer from given pages, the `sources`. */
export type Writer = Pick<Executor, 'name' | 'search' | 'prepare'>

export interface ComposedParts {
  /** The writers over the pages that a backend lists, in the order in which they are asked. */
  readonly writers?: readonly Writer[] | undefined
  /** True: they also write `standard` answers over the pages of a backend that would write itself. */
  readonly writeForAll?: boolean | undefined
  /** The one among them that is this backend, if it comes with layers around it. */
  readonly own?: Writer | undefined
}

/**
 * Puts the answers of a backend together that it does not make by itself: it lists, the pages are read, and the first
 * writer that can writes. Where none can, the answer consists of excerpts of the pages, and says so in its first line.
 */
export function composed(
  backend: Executor,
  { writers = [], writeForAll = false, own = backend }: ComposedParts = {},
): Executor {
  const parts: Parts = { backend, writers, writeForAll: writeForAll && writers.length > 0, own }
  const supports = (request: SearchRequest) => backend.supports?.(request) ?? true
  return {
    name: backend.name,
    search: (request, context) =>
      request.want === 'answer'
        ? attended(async () => ({ items: await answerOf(parts, request, context) }))
        : backend.search(request, context),
    supports: (request) =>
      supports(request) ||
      (request.want === 'answer' && (writers.length > 0 || !needsModel(request)) && supports(listRequest(request))),
    answers: (request, context) => isOwn(parts, request, context),
    health: () => backend.health(),
    close: () => backend.close(),
  }
}

interface Parts {
  readonly backend: Executor
  readonly writers: readonly Writer[]
  readonly writeForAll: boolean
  readonly own: Writer
}

async function answerOf(
  parts: Parts,
  request: AnswerRequest,
  context: SearchContext,
): Promise<AsyncIterable<SearchEvent>> {
  const { backend, writers } = parts
  if (context.signal.aborted) throw abortError(context.signal)
  if (await isOwn(parts, request, context)) return orOverPages(parts, request, context)
  if (writers.length === 0 && needsModel(request)) throw noModel(backend)
  return request.sources ? overSources(parts, request, request.sources, context) : overList(parts, request, context)
}

/** True if the backend makes an answer by itself. */
async function isOwn({ backend, writers, writeForAll }: Parts, request: SearchRequest, context: SearchContext) {
  const isAble = backend.supports?.(request) ?? true
  if (!isAble || writers.length === 0) return isAble
  if (writeForAll && (request.sources || isOneQuestion(request))) return false
  return request.sources !== undefined || ((await backend.answers?.(request, context)) ?? true)
}

/**
 * An answer that its backend makes by itself. One that ends without a word is written over the pages that it found, and one
 * whose model has not searched at all over a list.
 */
function orOverPages(parts: Parts, request: AnswerRequest, context: SearchContext): AsyncIterable<SearchEvent> {
  const events = parts.backend.search(request, context)
  return parts.writers.length > 0 && !request.sources ? wordsFor(parts, events, request, context) : events
}

async function* wordsFor(
  parts: Parts,
  events: AsyncIterable<SearchEvent>,
  request: AnswerRequest,
  context: SearchContext,
): SearchEvents {
  const fold = new AnswerFold()
  const name = new NameOfBackend()
  let done: Extract<SearchEvent, { type: 'done' }> | undefined
  for await (const event of events) {
    fold.add(event)
    if (event.type === 'done') done = event
    else yield* name.before(event)
  }
  // Behind the end of the search: until then it holds the place that a writer of the same backend waits for.
  const { text, toolCalls, searches, usage, model, reason, stopSequence } = fold.finish()
  const hasEnded = text !== '' || toolCalls.length > 0 || reason !== 'stop' || stopSequence !== undefined
  if (done && !hasEnded && searches.length === 0) {
    for await (const event of addingUsage(overList(parts, request, context), usage)) yield* name.before(event)
    return
  }
  yield* name.rest()
  if (done && (hasEnded || sourcesOf(searches).length === 0)) return yield done
  const filled = yield* withWords(parts.backend, { searches, usage, model, notes: '' }, request, context)
  yield* writtenOver(parts, request, filled, context)
}

/** The name of the backend, once and before everything else. Of two tries it is that of the first one that said something. */
class NameOfBackend {
  #held: Extract<SearchEvent, { type: 'backend' }> | undefined
  #isTold = false

  /** An event, with the name in front of it where that is due. */
  before(event: SearchEvent): readonly SearchEvent[] {
    if (event.type === 'cache') return [event]
    if (event.type !== 'backend') return [...this.rest(), event]
    if (!this.#isTold) this.#held = event
    return []
  }

  /** The name, where it is still to be told. */
  rest(): readonly SearchEvent[] {
    const due = this.#held && !this.#isTold ? [this.#held] : []
    this.#isTold = true
    return due
  }
}

/** The events of another try, whose end has the cost of the first as well. */
async function* addingUsage(events: AsyncIterable<SearchEvent>, usage: Usage): SearchEvents {
  for await (const event of events)
    yield event.type === 'done' ? { ...event, usage: totalUsage([event.usage, usage]) } : event
}

async function* overSources(
  parts: Parts,
  request: AnswerRequest,
  sources: readonly SearchResult[],
  context: SearchContext,
): SearchEvents {
  yield* reportSearch('sources', request.query, sources)
  const searches = [{ id: 'sources', query: request.query, results: sources }]
  const usage = { searches: 0, inputTokens: 0, outputTokens: 0 }
  yield* writtenOver(parts, request, { searches, usage, model: parts.backend.name, notes: '' }, context)
}

async function* overList(parts: Parts, request: AnswerRequest, context: SearchContext): SearchEvents {
  checkShape(request)
  const prepared = await preparedWriter(parts, request, context)
  try {
    for await (const event of listAndWrite(parts, request, context)) {
      if (event.type === 'text-delta') prepared?.release()
      yield event
    }
  } finally {
    prepared?.release()
  }
}

/** Prepares the first writer that can write now. Throws if none can, and excerpts could not replace the text. */
async function preparedWriter({ writers, own }: Parts, request: AnswerRequest, context: SearchContext) {
  const asked = { ...request, sources: [] }
  const failures: { readonly writer: Writer; readonly failure: SearchError }[] = []
  for (const writer of writers) {
    try {
      return await writer.prepare?.(asked, context)
    } catch (error) {
      failures.push({ writer, failure: toSearchError(error) })
    }
  }
  const lasting = failures.find(({ writer }) => needsModel(request) || writer === own)
  if (lasting) throw lasting.failure
  return undefined
}

async function* listAndWrite(parts: Parts, request: AnswerRequest, context: SearchContext): SearchEvents {
  const { backend } = parts
  const excerpts = context.pages?.source === 'pages' ? ('none' as const) : undefined
  const list = { ...listRequest(request), ...(excerpts && { excerpts }) }
  const found = await listedFor(request, backend.search(list, context))
  if (found.backend !== undefined) yield { type: 'backend', name: found.backend }
  for (const { results: _, ...search } of found.searches) yield { type: 'search-start', ...search }
  const filled = yield* withWords(parts.backend, found, request, context)
  for (const { id, results } of filled.searches) yield { type: 'search-results', id, results }
  yield* writtenOver(parts, request, filled, context)
}

/** Throws before a search is paid for. */
function checkShape(request: AnswerRequest): void {
  if (request.schema) new JsonShape(request.schema)
  clientToolsFor(request)
}

/** The text over a list, to `done`. */
async function* writtenOver(parts: Parts, request: AnswerRequest, found: Listed, context: SearchContext): SearchEvents {
  const { usage, model, notes } = found
  const sources = sourcesOf(found.searches)
  const writes = sources.length > 0 || needsModel(request)
  const asked = { ...request, sources, ...(notes && { notes }) }
  if (writes && (yield* written(parts, asked, usage, context))) return
  const isDegraded = parts.writers.length > 0 && sources.length > 0
  yield* excerptAnswer(sources, request, { usage, model, isDegraded })
}

/** Returns whether a writer wrote the answer. `false` only before the first event, and where excerpts may stand in. */
async function* written(
  { writers, own }: Parts,
  request: AnswerRequest,
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
      // A fault of a backend must not look like an exhausted model.
      const mayPass = writer === own ? failure.code === 'rate-limited' : traitsOf(failure.code).isOutage
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
