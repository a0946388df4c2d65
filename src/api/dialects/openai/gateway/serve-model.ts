import type { GatewayRoute } from '@csp/gateway/gateway'
import { failedTool } from '@csp/gateway/server-tools/server-tools'
import type { MessagesEvent } from '@csp/messages-api/events'
import { toUpstreamError, type UpstreamError } from '@csp/messages-api/upstream-error'
import type { Context, Handler } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { Frame } from '../../../dialect.ts'
import type { AppEnvironment } from '../../../exchange/exchange.ts'
import type { Failure } from '../../../exchange/failure.ts'
import { refused } from '../../../exchange/refusal.ts'
import { failureHeaders } from '../../../http/failure-of.ts'
import { jsonReply } from '../../../http/json-reply.ts'
import { validate } from '../../../http/validate.ts'
import type { RouteOptions } from '../../../serve/serve-search.ts'
import { maxGatewayBytes } from '../../shared/gateway/bounds.ts'
import { searchRunner } from '../../shared/gateway/run-search.ts'
import { codeOf, noteFailure, streamFrames } from '../../shared/gateway/upstream-reply.ts'
import { answerEvents, beginTurn, withFallbacks } from '../../shared/gateway/upstream-turn.ts'
import { responsesError } from '../error.ts'
import type { KeptItems } from '../kept-items.ts'
import { errorEvents, keepingWriter } from '../responses.ts'
import { responsesInput } from '../responses-input.ts'
import type { ResponseWriter } from '../responses-writer.ts'
import { toMessages } from './messages-request.ts'
import { GatewayReply } from './read-reply.ts'

/**
 * Has the gateway answer the responses that name a model of its upstreams by their prefix: `ollama/qwen3`. Any other name
 * is csp's, also one that the gateway takes in the Messages API: clients of this API name models of a vendor that csp
 * stands in for.
 */
export function gatewayModelOr(
  own: Handler<AppEnvironment>,
  options: RouteOptions,
  kept: KeptItems,
): Handler<AppEnvironment> {
  const { gateway } = options
  if (!gateway) return own
  const names = gateway.upstreams.map(({ name }) => name)
  return async (context, next) => {
    const sent = await context.get('exchange').sent.json(maxGatewayBytes)
    const model: unknown = typeof sent === 'object' && sent !== null ? Reflect.get(sent, 'model') : undefined
    const prefix = typeof model === 'string' ? model.replace(/^anthropic\/(?=[^/]+\/)/, '').split('/', 1)[0] : undefined
    const isNamed = typeof model === 'string' && model.includes('/') && names.includes(prefix?.toLowerCase() ?? '')
    const route = isNamed ? gateway.routeOf(model, () => false) : 'own'
    return typeof route === 'string' ? own(context, next) : serveModel(context, sent, route, options, kept)
  }
}

async function serveModel(
  context: Context<AppEnvironment>,
  sent: unknown,
  route: GatewayRoute,
  options: RouteOptions,
  kept: KeptItems,
): Promise<Response> {
  const input = validate(responsesInput, sent)
  if (input.background) throw refused(['background'], 'Models of the gateway answer nothing in the background')
  const request = toMessages({ ...input, input: kept.resolve(input.input) })
  const exchange = context.get('exchange')
  const reply = { ...exchange.reply(input), defaultModel: route.model }
  const turn = await beginTurn(context, options)
  const search = searchRunner(options, exchange, context.req.raw.headers)
  const runner = { search, fetch: async () => failedTool(readsNone, 'unavailable', 'This server reads no pages.') }
  const writer = keepingWriter(reply, kept)
  const events = answerEvents(turn, withFallbacks(route), request, () => runner)
  try {
    if (!input.stream) {
      for await (const _ of framesOf(events, writer));
      turn.watch.onEnd()
      return jsonReply(context, writer.response)
    }
    let sentFrames = 0
    const counted = async function* () {
      for await (const frame of framesOf(events, writer)) {
        sentFrames++
        yield frame
      }
    }
    const onError = (error: UpstreamError) => errorEvents(failureFrom(error), reply, sentFrames)
    return await streamFrames(context, counted(), turn.watch, options, onError)
  } catch (error) {
    turn.spending.fail()
    turn.watch.onEnd()
    const upstream = toUpstreamError(error)
    noteFailure(exchange, upstream)
    const failure = failureFrom(upstream)
    const { status, body } = responsesError(failure)
    return jsonReply(context, body, status as ContentfulStatusCode, failureHeaders(failure))
  }
}

/** Only a search is offered. */
const readsNone = { kind: 'fetch', name: 'web_fetch', maxUses: 0 } as const

/** None before the first event, so that an earlier failure keeps its status. */
async function* framesOf(
  events: AsyncIterable<MessagesEvent>,
  writer: Pick<ResponseWriter, 'begin' | 'add'>,
): AsyncGenerator<Frame, void, undefined> {
  const said = new GatewayReply()
  for await (const event of events) {
    if (event.type === 'message_start') yield* writer.begin()
    for (const written of said.read(event)) yield* writer.add(written)
  }
}

/** The upstream's own status and words. */
function failureFrom(error: UpstreamError): Failure {
  const { status, message, retryAfterSeconds } = error
  const code = status === 404 ? 'unknown-model' : codeOf(error)
  return { code, status, message, issues: [], retryAfterSeconds }
}
