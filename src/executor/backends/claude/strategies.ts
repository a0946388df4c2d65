import { Grounding } from '@csp/grounding/grounding'
import { parseUrl } from '@csp/lib/url'
import type { SearchEvents, SearchFilters, SearchRequest } from '../../../domain/search.ts'
import { searchRefused, searchToolError, ungrounded } from '../../answer/errors.ts'
import { done, nothingFound, reportSearch } from '../../answer/events.ts'
import { maxSearched } from '../../answer/listed.ts'
import { resultsQuery } from '../../answer/prompt/prompt.ts'
import { siteFilters } from '../../answer/prompt/site-filters.ts'
import type { Engines, Task } from './engines.ts'
import { answerInOneCall } from './one-call.ts'
import { answerQuery, endSign, searcherPrompt, textPrompt, writerPrompt } from './prompts.ts'
import { type Found, readOutput, type ToolOutput } from './search-output.ts'
import type { DirectEngine } from './search-server/direct.ts'
import { replyFrom } from './worker-reply.ts'

type Strategy = (task: Task) => SearchEvents

/**
 * One model call where it is enough; the agent loop where the question, its conversation or its tools ask for it. An
 * answer in one call that could not search is made in the other way: by what puts answers together where that takes a
 * list.
 */
export async function* runStrategy(task: Task): SearchEvents {
  const { engines, request, tools } = task
  const { direct } = await engines.ready(task.signal)
  const strategy = strategyFor(request, tools !== undefined, direct)
  if (task.isSparing || !isInOneCall(engines, request)) return yield* strategy(task)
  const cost = yield* answerInOneCall(task)
  if (!cost) return
  if (isOfTwoCalls(request, direct)) yield done({ searches: 0, model: engines.modelFor(request), result: cost })
  else yield* strategy(task)
}

/** Whether an answer is made in one call, by what is known of its model. */
export function isInOneCall(engines: Pick<Engines, 'native' | 'modelFor'>, request: SearchRequest): boolean {
  return engines.native.serves(request, engines.modelFor(request))
}

/** Whether a request is served without a worker, by the process that runs many searches at once. */
export function needsNoWorker(engines: Pick<Engines, 'native' | 'modelFor' | 'hasDirect'>, request: SearchRequest) {
  const strategy = strategyFor(request, offersTools(request), engines.hasDirect)
  return (strategy === listResults || strategy === answerFast) && !isInOneCall(engines, request)
}

/** How an answer in one call spares itself the wait for a worker: in the other way, which needs none for its search. */
export function reliefOf(engines: Engines, request: SearchRequest): 'light' | 'list' | undefined {
  if (engines.native.isAlways || !isInOneCall(engines, request)) return undefined
  if (strategyFor(request, offersTools(request), engines.hasDirect) === answerFast) return 'light'
  return isOfTwoCalls(request, engines.hasDirect) ? 'list' : undefined
}

/** The models that a request is served by: each may have a usage limit of its own. */
export function modelsOf(engines: Engines, request: SearchRequest): readonly string[] {
  const strategy = strategyFor(request, offersTools(request), engines.hasDirect)
  const isFast = strategy === answerFast && !isInOneCall(engines, request)
  return [isFast ? engines.model : engines.modelFor(request)]
}

/** How a request is served by more calls than one. */
function strategyFor(request: SearchRequest, hasTools: boolean, hasDirect: boolean): Strategy {
  const { want, sources } = request
  if (want === 'text') return writeText
  if (want === 'answer' && sources) return writeFromSources
  if (want === 'results') return hasDirect ? listResults : listResultsByAgent
  return hasDirect && request.effort === 'fast' && !needsAgent(request, hasTools) && !request.schema
    ? answerFast
    : answerByAgent
}

function needsAgent({ query, effort, history, continuation = [] }: SearchRequest, hasTools: boolean): boolean {
  return effort === 'deep' || query.length > maxSearched || history.length > 0 || continuation.length > 0 || hasTools
}

/** Whether an answer is best put together from a list and a text over it: two model calls in place of an agent's three. */
export function isOfTwoCalls(request: SearchRequest, hasDirect: boolean): boolean {
  const isFast = request.effort === 'fast' && !request.schema
  return hasDirect && !isFast && !needsAgent(request, offersTools(request))
}

function offersTools({ tools = [] }: SearchRequest): boolean {
  return tools.length > 0
}

/** An answer over pages that the request has. One model call; the text streams. */
async function* writeFromSources(task: Task): SearchEvents {
  const { request, engines, shape, tools } = task
  const { sources = [], continuation = [] } = request
  yield* reportSearch('sources', request.query, sources)
  if (sources.length > 0 || shape || tools || continuation.length > 0) {
    return yield* replyFrom(task, 'writer', { prompt: writerPrompt(request, sources), sources })
  }
  yield { type: 'text-delta', text: nothingFound }
  yield done({ searches: 0, model: engines.modelFor(request) })
}

/** `results`, over the direct engine: one model call. */
async function* listResults(task: Task): SearchEvents {
  const { searchModel: model } = task.engines
  const { rows, notes } = await findSources(task)
  yield { type: 'search-start', id: 'search-1', query: task.request.query, model }
  yield { type: 'search-results', id: 'search-1', results: rows, ...(notes && { notes }) }
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
 * call. It ends without a word where the call wrote no summary, or one that was cut off: then a writer has to write.
 */
async function* answerFast(task: Task): SearchEvents {
  const { engines, request } = task
  const output = await searchDirectly(task, engines.fast, answerQuery(request, engines.now()))
  const { rows } = readOutput(output, request, engines.now())
  yield* reportSearch('search-1', request.query, rows, engines.model)
  const grounding = new Grounding()
  grounding.addSources(rows)
  yield* grounding.push(rows.length > 0 ? wholeSummary(output.text, engines) : nothingFound)
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

async function findSources(task: Task): Promise<Found> {
  const { engines, request } = task
  const query = resultsQuery(request, engines.excerptsFor(request), engines.now())
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
