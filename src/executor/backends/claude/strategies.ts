import { Grounding } from '@csp/grounding/grounding'
import { parseUrl } from '@csp/lib/url'
import type { SearchEvent, SearchEvents, SearchFilters, SearchRequest } from '../../../domain/search.ts'
import { searchRefused, searchToolError, ungrounded } from '../../answer/errors.ts'
import { done, nothingFound, reportSearch } from '../../answer/events.ts'
import { maxSearched } from '../../answer/listed.ts'
import { resultsQuery } from '../../answer/prompt/prompt.ts'
import { siteFilters } from '../../answer/prompt/site-filters.ts'
import { type Correction, type ModelEvent, type ReplyBrief, ReplySession } from '../../answer/reply-session.ts'
import { hasUnexpectedTools, isBrokenOff } from './cli/errors.ts'
import type { WorkerKind } from './cli/launch.ts'
import type { Engines, Task } from './engines.ts'
import { answerQuery, endSign, searcherPrompt, textPrompt, writerPrompt } from './prompts.ts'
import { type Found, readOutput, type ToolOutput } from './search-output.ts'
import type { DirectEngine } from './search-server/direct.ts'
import { Lease } from './worker/pool.ts'
import { type AgentEvent, runTurn, type TurnOptions } from './worker/turn.ts'

type Strategy = (task: Task) => SearchEvents

/** One model call where it is enough; the agent loop where the question, its conversation or its tools ask for it. */
export async function* runStrategy(task: Task): SearchEvents {
  const { direct } = await task.engines.ready(task.signal)
  yield* strategyFor(task.request, task.tools !== undefined, direct)(task)
}

/** Whether a request is served without a worker, by the process that runs many searches at once. */
export function needsNoWorker(request: SearchRequest, hasDirect: boolean): boolean {
  const strategy = strategyFor(request, offersTools(request), hasDirect)
  return strategy === listResults || strategy === answerFast
}

/** The models that a request is served by: each may have a usage limit of its own. */
export function modelsOf(engines: Engines, request: SearchRequest): readonly string[] {
  const strategy = strategyFor(request, offersTools(request), engines.hasDirect)
  return [strategy === answerFast ? engines.model : engines.modelFor(request)]
}

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

/** The reply of a worker that is leased for it. */
async function* replyFrom(
  task: Task,
  kind: WorkerKind,
  reply: Omit<WorkerReply, 'lease'>,
  systemPrompt?: string,
): SearchEvents {
  const { engines, request, caller } = task
  const model = engines.modelFor(request)
  const lease =
    kind === 'writer' ? engines.writers.take(model, caller) : new Lease(engines.pool, kind, model, caller, systemPrompt)
  try {
    yield* writeReply(task, { lease, ...reply })
  } finally {
    lease.end()
  }
}

/** A reply that a worker writes. */
export interface WorkerReply extends Pick<ReplyBrief, 'searchReminder' | 'sources' | 'searches'> {
  readonly lease: Lease
  readonly prompt: string
}

/**
 * Has a worker write the reply, `done` included. A worker that dies before anything was emitted is replaced once, unless
 * its CLI offers foreign tools, and a message that breaks off is asked for once more; a correction is asked for in the same
 * session, or in a cleared one.
 */
export async function* writeReply(task: Task, { lease, prompt, ...brief }: WorkerReply): SearchEvents {
  const { request, shape, enough, signal } = task
  const session = new ReplySession({ request, shape, enough, ...brief })
  const correction = yield* firstTurn(task, session, lease, prompt)
  if (!correction) return
  if (correction.startsFresh) await lease.worker.clear(signal)
  yield* session.lastTurn(modelEvents(task, lease, correction.prompt))
}

async function* firstTurn(
  task: Task,
  session: ReplySession,
  lease: Lease,
  prompt: string,
): AsyncGenerator<SearchEvent, Correction | undefined, undefined> {
  try {
    return yield* session.turn(modelEvents(task, lease, prompt))
  } catch (error) {
    const isLost = session.hasEmitted || task.signal.aborted || hasUnexpectedTools(error)
    if (isLost || (lease.worker.alive && !isBrokenOff(error))) throw error
    if (lease.worker.alive) await lease.worker.clear(task.signal)
    else lease.exchange()
    return yield* session.turn(modelEvents(task, lease, prompt))
  }
}

async function* modelEvents(task: Task, lease: Lease, prompt: string): AsyncGenerator<ModelEvent, void, undefined> {
  const turn = runTurn(lease.worker, turnOptions(task, prompt))
  for await (const event of turn) yield toModelEvent(event, task)
}

function turnOptions({ engines, request, tools, signal, enough, trace, isWhole }: Task, prompt: string): TurnOptions {
  const model = engines.modelFor(request)
  // The end that a stop sequence makes is found in the text as it comes.
  const holdsMessages = isWhole && (request.stop ?? []).length === 0
  const onRateLimit: TurnOptions['onRateLimit'] = (limit) => engines.noteLimit(limit)
  return { prompt, model, tools, signal, enough, trace, holdsMessages, now: () => engines.now(), onRateLimit }
}

function toModelEvent(event: AgentEvent, { request, engines }: Task): ModelEvent {
  switch (event.type) {
    case 'search-output': {
      const { rows } = readOutput(event.output, request, engines.now())
      return { type: 'search-results', id: event.id, results: rows }
    }
    case 'end': {
      const { stopReason, inputTokens, outputTokens } = event.result
      return { type: 'end', model: event.model, stopReason, inputTokens, outputTokens }
    }
    default:
      return event
  }
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
