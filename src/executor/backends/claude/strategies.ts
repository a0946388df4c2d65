import type { SearchEvent, SearchEvents, SearchFilters, SearchRequest, SearchResult } from '../../../domain/search.ts'
import { parseUrl } from '../../../lib/url.ts'
import { searchRefused, searchToolError, ungrounded } from '../../answer/errors.ts'
import { done, nothingFound, reportSearch } from '../../answer/events.ts'
import { Grounding } from '../../answer/grounding/grounding.ts'
import { resultsQuery } from '../../answer/prompt/prompt.ts'
import { siteFilters } from '../../answer/prompt/site-filters.ts'
import type { WorkerKind } from './cli/launch.ts'
import type { Engines, Task } from './engines.ts'
import { answerQuery, endSign, searcherPrompt, textPrompt, writerPrompt } from './prompts.ts'
import { type WorkerReply, writeReply } from './reply.ts'
import { type Found, readOutput, type ToolOutput } from './search-output.ts'
import type { DirectEngine } from './search-server/direct.ts'
import { Lease } from './worker/pool.ts'

type Strategy = (task: Task) => SearchEvents

/** One model call where it is enough; the agent loop where the question, its conversation or its tools ask for it. */
export async function* runStrategy(task: Task): SearchEvents {
  const { direct } = await task.engines.ready(task.signal)
  yield* strategyFor(task.request, task.tools !== undefined, direct)(task)
}

/** Whether a request is served without a worker, by the process that runs many searches at once. */
export function needsNoWorker(request: SearchRequest, hasDirect: boolean): boolean {
  const strategy = strategyFor(request, request.tools !== undefined && request.tools.length > 0, hasDirect)
  return strategy === listResults || strategy === answerFast
}

/** The models that a request is served by: each may have a usage limit of its own. */
export function modelsOf(engines: Engines, request: SearchRequest): readonly string[] {
  const { searchModel, model, hasDirect } = engines
  const strategy = strategyFor(request, request.tools !== undefined && request.tools.length > 0, hasDirect)
  if (strategy === listResults) return [searchModel]
  if (strategy === answerFast) return [model]
  const writer = engines.modelFor(request)
  return strategy === answerFromSources ? [...new Set([searchModel, writer])] : [writer]
}

function strategyFor(request: SearchRequest, hasTools: boolean, hasDirect: boolean): Strategy {
  const { want, query, effort, history, continuation = [], schema, sources } = request
  if (want === 'text') return writeText
  if (want === 'answer' && sources) return writeFromSources
  if (want === 'results') return hasDirect ? listResults : listResultsByAgent
  const isLong = query.length > maxSearched
  const needsAgent = effort === 'deep' || isLong || history.length > 0 || continuation.length > 0 || hasTools
  if (!hasDirect || needsAgent) return answerByAgent
  return effort === 'fast' && !schema ? answerFast : answerFromSources
}

/**
 * In characters. A document is no query: the agent writes its own, while the search server takes seconds for 100,000 and
 * ends at 200,000.
 */
const maxSearched = 20_000

/** The second half of `standard`, over pages that the request has. One model call; the text streams. */
async function* writeFromSources(task: Task): SearchEvents {
  const { request, engines, shape, tools } = task
  const { sources = [], continuation = [] } = request
  yield* reportSearch('sources', request.query, sources)
  if (sources.length > 0 || shape || tools || continuation.length > 0) {
    return yield* replyFrom(task, 'writer', { prompt: writerPrompt(request, sources, ''), sources })
  }
  yield { type: 'text-delta', text: nothingFound }
  yield done({ searches: 0, model: engines.modelFor(request) })
}

/** `results`, over the direct engine: one model call. */
async function* listResults(task: Task): SearchEvents {
  const { searchModel: model } = task.engines
  yield* reportSearch('search-1', task.request.query, (await findSources(task)).rows, model)
  yield done({ searches: 1, model })
}

/** `results` by an agent, where the CLI has no direct engine. Two model calls: the loop is left at the first results. */
async function* listResultsByAgent(task: Task): SearchEvents {
  for await (const event of answerByAgent(task)) {
    if (event.type === 'done') throw searchRefused() // nothing else ends it before a search
    yield event
    if (event.type === 'search-results') break
  }
  yield done({ searches: 1, model: task.engines.searchModel })
}

/**
 * `answer` at `fast`: the search call's own summary is the answer, so the model that writes answers makes it. One model
 * call; two where it wrote no summary, or one that was cut off.
 */
async function* answerFast(task: Task): SearchEvents {
  const { engines, request, pages } = task
  const output = await searchDirectly(task, engines.fast, answerQuery(request, engines.now()))
  const { rows } = readOutput(output, request, engines.now())
  const summary = wholeSummary(output.text, engines)
  if (!summary && rows.length > 0) {
    yield { type: 'search-start', id: 'search-1', query: request.query, model: engines.model }
    const sources = pages?.source === 'pages' ? (yield* pages.fill(rows, request)).rows : rows
    yield { type: 'search-results', id: 'search-1', results: sources }
    return yield* replyFrom(task, 'writer', { prompt: writerPrompt(request, sources, ''), sources, searches: 1 })
  }
  yield* reportSearch('search-1', request.query, rows, engines.model)
  const grounding = new Grounding()
  grounding.addSources(rows)
  yield* grounding.push((rows.length > 0 && summary) || nothingFound)
  yield* grounding.end()
  yield done({ searches: 1, model: engines.model })
}

/**
 * The answer in a search call's text, or nothing where that was cut off. A model that has closed one with the sign closes
 * each; of another, a text that ends in the middle of a sentence was cut.
 */
function wholeSummary(text: string, engines: Engines): string {
  const end = text.lastIndexOf(endSign)
  engines.closesSummaries ||= end >= 0
  if (end >= 0) return text.slice(0, end).trimEnd()
  return engines.closesSummaries || /[\p{L},;:([-]$/u.test(text) ? '' : text
}

/** `answer` at `standard`: search, then write over the numbered sources. Two model calls; the text streams. */
async function* answerFromSources(task: Task): SearchEvents {
  const { engines, request, shape } = task
  // Taken before the search, so that a worker that has to be started starts meanwhile.
  const lease = new Lease(engines.pool, 'writer', engines.modelFor(request), task.caller)
  try {
    const { rows, notes, searches } = yield* findWords(task)
    yield { type: 'search-results', id: 'search-1', results: rows }
    if (rows.length > 0 || shape) {
      return yield* writeReply(task, { lease, prompt: writerPrompt(request, rows, notes), sources: rows, searches })
    }
    yield { type: 'text-delta', text: nothingFound }
    yield done({ searches, model: engines.searchModel })
  } finally {
    lease.end()
  }
}

/**
 * `answer` by the agent loop: it searches as often as it needs. Three model calls and more; the text streams. If it
 * neither searches nor calls a tool of the caller, the session is cleared and it is asked once more.
 */
async function* answerByAgent(task: Task): SearchEvents {
  const { engines, request } = task
  const prompt = searcherPrompt(request, engines.now(), false)
  const searchReminder = searcherPrompt(request, engines.now(), true)
  yield* replyFrom(task, 'searcher', { prompt, searchReminder })
}

/**
 * `text`: plain inference, with the caller's tools if there are any, and no search. One model call. The caller's
 * instructions are the system prompt of the worker.
 */
async function* writeText(task: Task): SearchEvents {
  const { request } = task
  yield* replyFrom(task, 'chat', { prompt: textPrompt(request) }, request.instructions)
}

/** The reply of a worker that is leased for it. */
async function* replyFrom(
  task: Task,
  kind: WorkerKind,
  reply: Omit<WorkerReply, 'lease'>,
  systemPrompt?: string,
): SearchEvents {
  const { engines, request } = task
  const lease = new Lease(engines.pool, kind, engines.modelFor(request), task.caller, systemPrompt)
  try {
    yield* writeReply(task, { lease, ...reply })
  } finally {
    lease.end()
  }
}

/**
 * Sources with words to write from: passages of their pages, which are read while the search call has written one word, or
 * its lines. Where nearly no page could be read, a second search writes lines.
 */
async function* findWords(task: Task): AsyncGenerator<SearchEvent, Found & { readonly searches: number }, undefined> {
  const { engines, request, pages, signal, trace } = task
  const found = await findSources(task, pages?.source === 'pages' ? 'none' : undefined)
  yield { type: 'search-start', id: 'search-1', query: request.query, model: engines.searchModel }
  if (pages?.source !== 'pages') return { ...found, searches: 1 }
  const { rows, isEnough } = yield* pages.fill(found.rows, request)
  if (isEnough) return { rows, notes: '', searches: 1 }
  try {
    const lines = await findSources(task, 'lines')
    return { rows: withWords(lines.rows, rows), notes: lines.notes, searches: 2 }
  } catch (error) {
    if (signal.aborted) throw error
    trace?.note('The search for lines failed, so the answer rests on what pages came', error)
    return { rows, notes: '', searches: 1 }
  }
}

/** The rows of a second search, with what came of the first. */
function withWords(rows: readonly SearchResult[], first: readonly SearchResult[]): readonly SearchResult[] {
  const read = new Map(first.flatMap((row) => (row.snippet ? [[row.url, row]] : [])))
  const again = rows.map((row) => read.get(row.url) ?? row)
  return [...new Set([...again, ...read.values()])]
}

async function findSources(task: Task, excerpts = task.engines.excerptsFor(task.request)): Promise<Found> {
  const { engines, request } = task
  const query = resultsQuery(request, excerpts, engines.now())
  return readOutput(await searchDirectly(task, engines.direct, query), request, engines.now())
}

/**
 * One search; one more when the model did not use the tool. The CLI does not report over MCP whether it refused to.
 * Throws when neither searched, or the tool failed.
 */
async function searchDirectly(
  { request: { filters, exclude }, signal, trace }: Task,
  engine: DirectEngine,
  query: string,
): Promise<ToolOutput> {
  const sites = siteFilters(filters)
  const { includeDomains } = sites
  // The known sites may be wanted ones.
  const excludeDomains = filters.includeDomains?.length ? sites.excludeDomains : domainsToAvoid(sites, exclude)
  for (let attempt = 1; attempt <= 2; attempt++) {
    trace?.modelCalled()
    const output = await engine.search({ query, includeDomains, excludeDomains }, signal)
    if (output.error) throw searchToolError(output.error)
    if (output.searched) return output
  }
  throw ungrounded()
}

/**
 * The sites to leave out, those of the pages that one search has found among them: the same words find the same pages
 * again, and the model follows a parameter of the tool more surely than a sentence in the query. Behind those pages,
 * the known sites are most of the sites that have anything, so they stay.
 */
function domainsToAvoid({ excludeDomains }: SearchFilters, exclude: readonly string[] = []) {
  if (exclude.length > maxKnown) return excludeDomains
  const known = exclude.map((url) => parseUrl(url)?.hostname ?? '').filter(Boolean)
  const domains = [...new Set([...(excludeDomains ?? []), ...known])]
  return domains.length > 0 ? domains : undefined
}

/** About as many as one search finds. */
const maxKnown = 12
