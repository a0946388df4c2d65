import type { GatewayRoute } from '@csp/gateway/gateway'
import { firstToBegin } from '@csp/gateway/layers/fallback'
import { hasServerTools } from '@csp/gateway/server-tools/offered-tools'
import { replayServerTools } from '@csp/gateway/server-tools/replay'
import { type ServerToolRunner, withServerTools } from '@csp/gateway/server-tools/server-tools'
import type { UpstreamTrace } from '@csp/gateway/upstream'
import type { MessagesEvent } from '@csp/messages-api/events'
import type { MessagesRequest } from '@csp/messages-api/request'
import { UpstreamError } from '@csp/messages-api/upstream-error'
import type { Context } from 'hono'
import type { AppEnvironment, Exchange } from '../../../exchange/exchange.ts'
import type { RouteOptions } from '../../../serve/serve-search.ts'
import { GatewaySpending } from './spending.ts'
import { noteFailure, type ReplyWatch } from './upstream-reply.ts'

/** One request on its way to an upstream. */
export interface UpstreamTurn {
  readonly context: Context<AppEnvironment>
  readonly exchange: Exchange
  readonly signal: AbortSignal
  readonly watch: ReplyWatch
  readonly trace: UpstreamTrace
  readonly spending: GatewaySpending
  readonly options: RouteOptions
}

/** `isFree`: no model is asked, so nothing is reserved here. Its end is `watch.onEnd`. */
export async function beginTurn(
  context: Context<AppEnvironment>,
  options: RouteOptions,
  isFree = false,
): Promise<UpstreamTurn> {
  const exchange = context.get('exchange')
  const spending = await GatewaySpending.begin(isFree ? undefined : options.meter, exchange.caller)
  const work = new AbortController()
  const timer = deadline(options.gateway?.timeoutMs, work)
  const onEnd = () => {
    clearTimeout(timer)
    spending.end()
  }
  return {
    context,
    exchange,
    signal: AbortSignal.any([context.req.raw.signal, work.signal]),
    watch: { stop: () => work.abort(), onFailure: () => spending.fail(), onEnd },
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
}

/** Ends the work when its time is over, whatever it waits for. */
function deadline(timeoutMs: number | undefined, work: AbortController): ReturnType<typeof setTimeout> | undefined {
  if (timeoutMs === undefined) return undefined
  const message = `The request took longer than ${timeoutMs / 1000} s, the limit of this gateway.`
  return setTimeout(() => work.abort(new UpstreamError(504, message)), timeoutMs)
}

/** The route of a model, and those that are tried after it. */
export function withFallbacks(route: GatewayRoute): readonly GatewayRoute[] {
  return [route, ...(route.fallbacks ?? [])]
}

/** The events of the first upstream that begins to answer, with csp's own tools where the request has any. */
export function answerEvents(
  turn: UpstreamTurn,
  routes: readonly GatewayRoute[],
  request: MessagesRequest,
  runner: () => ServerToolRunner,
): AsyncIterable<MessagesEvent> {
  const candidates = routes.map((candidate) => () => eventsFrom(turn, candidate, request, runner))
  return firstToBegin(candidates, (failure) => noteNext(turn, failure))
}

/** The log says why another upstream is asked. */
export function noteNext({ exchange }: UpstreamTurn, failure: UpstreamError): void {
  exchange.note('The next upstream is asked', failure)
}

async function* eventsFrom(
  { exchange, spending, signal, trace, context }: UpstreamTurn,
  { to, model }: GatewayRoute,
  request: MessagesRequest,
  runner: () => ServerToolRunner,
): AsyncGenerator<MessagesEvent, void, undefined> {
  exchange.upstream(to.name, model)
  spending.asks(to.name)
  const call = { signal, trace, model, headers: context.req.raw.headers, caller: exchange.caller }
  if (to.isAnthropic || !hasServerTools(request)) yield* to.upstream.send(replayedFor(to, request), call)
  else yield* withServerTools(to.upstream, replayedFor(to, request), call, runner())
}

/** The request with earlier searches as plain calls, for models that have no such tools. */
export function replayedFor({ isAnthropic }: GatewayRoute['to'], request: MessagesRequest): MessagesRequest {
  return isAnthropic ? request : replayServerTools(request)
}
