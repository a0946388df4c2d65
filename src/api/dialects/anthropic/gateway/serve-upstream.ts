import type { GatewayRoute } from '@csp/gateway/gateway'
import { firstToBegin, isOfUpstream } from '@csp/gateway/layers/fallback'
import { fastSearch, type LoneSearch, loneSearch } from '@csp/gateway/server-tools/fast-search'
import { hasServerTools } from '@csp/gateway/server-tools/offered-tools'
import { replayServerTools } from '@csp/gateway/server-tools/replay'
import { withServerTools } from '@csp/gateway/server-tools/server-tools'
import type { UpstreamTrace } from '@csp/gateway/upstream'
import type { MessagesEvent } from '@csp/messages-api/events'
import { type MessagesRequest, messagesRequest } from '@csp/messages-api/request'
import { toUpstreamError, UpstreamError } from '@csp/messages-api/upstream-error'
import type { Context } from 'hono'
import type { AppEnvironment, Exchange } from '../../../exchange/exchange.ts'
import { jsonReply } from '../../../http/json-reply.ts'
import { validate } from '../../../http/validate.ts'
import type { RouteOptions } from '../../../serve/serve-search.ts'
import { withoutThread } from '../input.ts'
import { createToolRunner } from './run-server-tools.ts'
import { GatewaySpending } from './spending.ts'
import { failed, noteFailure, passOn, type ReplyWatch, sendEvents } from './upstream-reply.ts'

/** One request on its way to an upstream. */
interface Turn {
  readonly context: Context<AppEnvironment>
  readonly request: MessagesRequest
  readonly exchange: Exchange
  readonly signal: AbortSignal
  readonly watch: ReplyWatch
  readonly trace: UpstreamTrace
  readonly spending: GatewaySpending
  readonly options: RouteOptions
}

/** Sends a request to its upstream: through it, where it speaks the Messages API, otherwise translated. */
export async function serveUpstream(
  context: Context<AppEnvironment>,
  sent: unknown,
  route: GatewayRoute,
  options: RouteOptions,
): Promise<Response> {
  const routes = [route, ...(route.fallbacks ?? [])]
  const keepsThreads = routes.every(({ to }) => to.isAnthropic)
  const request = validate(keepsThreads ? messagesRequest : threadless, sent)
  const exchange = context.get('exchange')
  exchange.upstream(route.to.name, route.model)
  let search: LoneSearch | undefined
  try {
    search = route.to.isAnthropic ? undefined : loneSearch(request)
  } catch (error) {
    return failed(context, toUpstreamError(error))
  }
  // A search alone asks no model; what it spends is counted where it is made.
  const spending = await GatewaySpending.begin(search ? undefined : options.meter, exchange.caller)
  const work = new AbortController()
  const timer = deadline(options.gateway?.timeoutMs, work)
  const end = () => {
    clearTimeout(timer)
    spending.end()
  }
  const turn: Turn = {
    context,
    request,
    exchange,
    signal: AbortSignal.any([context.req.raw.signal, work.signal]),
    watch: { stop: () => work.abort(), onFailure: () => spending.fail(), onEnd: end },
    trace: {
      note: (message, error) => exchange.note(message, error),
      answered(call) {
        spending.add(call)
        exchange.upstreamAnswered()
        options.onUpstreamCall?.(call)
      },
      brokeOff(error) {
        spending.fail()
        noteFailure(exchange, error)
      },
    },
    spending,
    options,
  }
  try {
    return await (search ? answerSearch(turn, search) : answer(turn, routes))
  } catch (error) {
    spending.fail()
    end()
    return failed(context, toUpstreamError(error))
  }
}

/** Ends the work when its time is over, whatever it waits for. */
function deadline(timeoutMs: number | undefined, work: AbortController): ReturnType<typeof setTimeout> | undefined {
  if (timeoutMs === undefined) return undefined
  const message = `The request took longer than ${timeoutMs / 1000} s, the limit of this gateway.`
  return setTimeout(() => work.abort(new UpstreamError(504, message)), timeoutMs)
}

/** Only the vendor keeps what a client with a thread does not send again. */
const threadless = withoutThread(messagesRequest)

function answerSearch(turn: Turn, search: LoneSearch): Promise<Response> {
  const { context, request, exchange, watch, signal, options } = turn
  const id = exchange.id.replaceAll(/\W/g, '')
  const runner = createToolRunner(options, exchange, context.req.raw.headers)
  return sendEvents(context, request, fastSearch(search, request, id, runner, signal), watch, options)
}

/** By the first upstream that begins to answer; as bytes through it, where that is possible. */
async function answer(turn: Turn, routes: readonly GatewayRoute[]): Promise<Response> {
  const { context, request, watch, options } = turn
  const [route, ...others] = routes
  const noteFailure = (failure: UpstreamError) => turn.exchange.note('The next upstream is asked', failure)
  try {
    const passed = route && (await pass(turn, route))
    if (passed) return passOn(context, passed, watch, options)
  } catch (error) {
    const failure = toUpstreamError(error)
    if (others.length === 0 || !isOfUpstream(failure)) throw failure
    noteFailure(failure)
    return answer(turn, others)
  }
  const candidates = routes.map((candidate) => () => eventsFrom(turn, candidate))
  return sendEvents(context, request, firstToBegin(candidates, noteFailure), watch, options)
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
  return native?.forward(replayed(turn, to), call)
}

/** Events of a reply, with csp's own tools where the request has any. */
async function* eventsFrom(turn: Turn, { to, model }: GatewayRoute): AsyncGenerator<MessagesEvent, void, undefined> {
  const { request, exchange, spending, signal, trace, context, options } = turn
  exchange.upstream(to.name, model)
  spending.asks(to.name)
  const { headers } = context.req.raw
  const call = { signal, trace, model, headers, caller: exchange.caller }
  if (to.isAnthropic || !hasServerTools(request)) yield* to.upstream.send(replayed(turn, to), call)
  else yield* withServerTools(to.upstream, replayed(turn, to), call, createToolRunner(options, exchange, headers))
}

function replayed({ request }: Turn, { isAnthropic }: GatewayRoute['to']): MessagesRequest {
  return isAnthropic ? request : replayServerTools(request)
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
