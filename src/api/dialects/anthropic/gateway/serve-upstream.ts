import type { GatewayRoute } from '@csp/gateway/gateway'
import { isOfUpstream } from '@csp/gateway/layers/fallback'
import { fastSearch, type LoneSearch, loneSearch } from '@csp/gateway/server-tools/fast-search'
import { hasServerTools } from '@csp/gateway/server-tools/offered-tools'
import { type MessagesRequest, messagesRequest } from '@csp/messages-api/request'
import { toUpstreamError } from '@csp/messages-api/upstream-error'
import type { Context } from 'hono'
import type { AppEnvironment } from '../../../exchange/exchange.ts'
import { jsonReply } from '../../../http/json-reply.ts'
import { validate } from '../../../http/validate.ts'
import type { RouteOptions } from '../../../serve/serve-search.ts'
import { failed, passOn, sendEvents } from '../../shared/gateway/upstream-reply.ts'
import {
  answerEvents,
  beginTurn,
  noteNext,
  replayedFor,
  type UpstreamTurn,
  withFallbacks,
} from '../../shared/gateway/upstream-turn.ts'
import { withoutThread } from '../input.ts'
import { createToolRunner } from './run-server-tools.ts'

type Turn = UpstreamTurn & { readonly request: MessagesRequest }

/** Sends a request to its upstream: through it, where it speaks the Messages API, otherwise translated. */
export async function serveUpstream(
  context: Context<AppEnvironment>,
  sent: unknown,
  route: GatewayRoute,
  options: RouteOptions,
): Promise<Response> {
  const routes = withFallbacks(route)
  const keepsThreads = routes.every(({ to }) => to.isAnthropic)
  const request = validate(keepsThreads ? messagesRequest : threadless, sent)
  context.get('exchange').upstream(route.to.name, route.model)
  let search: LoneSearch | undefined
  try {
    search = route.to.isAnthropic ? undefined : loneSearch(request)
  } catch (error) {
    return failed(context, toUpstreamError(error))
  }
  // A search alone asks no model; what it spends is counted where it is made.
  const turn: Turn = { ...(await beginTurn(context, options, search !== undefined)), request }
  try {
    return await (search ? answerSearch(turn, search) : answer(turn, routes))
  } catch (error) {
    turn.spending.fail()
    turn.watch.onEnd()
    return failed(context, toUpstreamError(error))
  }
}

/** Only the vendor keeps what a client with a thread does not send again. */
const threadless = withoutThread(messagesRequest)

function answerSearch(turn: Turn, search: LoneSearch): Promise<Response> {
  const { context, request, exchange, watch, signal, options } = turn
  const id = exchange.id.replaceAll(/\W/g, '')
  return sendEvents(context, request, fastSearch(search, request, id, runnerFor(turn), signal), watch, options)
}

function runnerFor({ context, exchange, options }: Turn) {
  return createToolRunner(options, exchange, context.req.raw.headers)
}

/** By the first upstream that begins to answer; as bytes through it, where that is possible. */
async function answer(turn: Turn, routes: readonly GatewayRoute[]): Promise<Response> {
  const { context, request, watch, options } = turn
  const [route, ...others] = routes
  try {
    const passed = route && (await pass(turn, route))
    if (passed) return passOn(context, passed, watch, options)
  } catch (error) {
    const failure = toUpstreamError(error)
    if (others.length === 0 || !isOfUpstream(failure)) throw failure
    noteNext(turn, failure)
    return answer(turn, others)
  }
  const events = answerEvents(turn, routes, request, () => runnerFor(turn))
  return sendEvents(context, request, events, watch, options)
}

/** The reply as it is; `undefined` if csp has to write it. */
async function pass(turn: Turn, { to, model }: GatewayRoute): Promise<Response | undefined> {
  const { request, exchange, spending, signal, trace, context } = turn
  if (!to.isAnthropic && hasServerTools(request)) return undefined
  exchange.upstream(to.name, model)
  spending.asks(to.name)
  const native = await to.native()
  const { headers, url } = context.req.raw
  const call = { signal, trace, model, headers, caller: exchange.caller, query: new URL(url).search }
  return native?.forward(replayedFor(to, request), call)
}

/** Counts the tokens of a prompt: by the upstream, where it does, otherwise by an estimate that says so in a header. */
export async function countUpstreamTokens(
  context: Context<AppEnvironment>,
  sent: unknown,
  route: GatewayRoute,
): Promise<Response> {
  const request = validate(messagesRequest.omit({ max_tokens: true }), sent)
  const { raw } = context.req
  try {
    const counter = (await route.to.native()) ?? route.to.upstream
    const call = { signal: raw.signal, model: route.model, headers: raw.headers }
    // Without `max_tokens`, which nothing here reads.
    const counted = await counter.countTokens?.(request as MessagesRequest, call)
    if (counted !== undefined) return jsonReply(context, { input_tokens: counted })
  } catch (error) {
    return failed(context, toUpstreamError(error))
  }
  const { estimateInputTokens } = await import('@csp/messages-api/estimate')
  context.header('x-csp-estimated', 'input_tokens')
  return jsonReply(context, { input_tokens: estimateInputTokens(request as MessagesRequest) })
}
