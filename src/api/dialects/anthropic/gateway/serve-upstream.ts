import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { SearchErrorCode } from '../../../../domain/error.ts'
import type { GatewayRoute } from '../../../../gateway/gateway.ts'
import type { MessagesEvent } from '../../../../gateway/messages/events.ts'
import { foldMessage } from '../../../../gateway/messages/fold.ts'
import { type MessagesRequest, messagesRequest } from '../../../../gateway/messages/request.ts'
import { fastSearch, loneSearch } from '../../../../gateway/server-tools/fast-search.ts'
import { hasServerTools } from '../../../../gateway/server-tools/plan.ts'
import { replayServerTools } from '../../../../gateway/server-tools/replay.ts'
import { withServerTools } from '../../../../gateway/server-tools/server-tools.ts'
import type { UpstreamContext } from '../../../../gateway/upstream.ts'
import { toUpstreamError, type UpstreamError } from '../../../../gateway/upstream-error.ts'
import { late, withTimeout } from '../../../../lib/abort.ts'
import type { Frame } from '../../../dialect.ts'
import type { AppEnvironment, Exchange } from '../../../http/exchange.ts'
import { jsonReply } from '../../../http/json-reply.ts'
import { validate } from '../../../http/validate.ts'
import type { RouteOptions } from '../../../serve/route.ts'
import { eventStream, watchedStream } from '../../../serve/sse.ts'
import { createToolRunner } from './run-server-tools.ts'

type Call = UpstreamContext & { readonly stop: () => void }

/** Sends a request to its upstream: through it, where it speaks the Messages API, otherwise translated. */
export async function serveUpstream(
  context: Context<AppEnvironment>,
  sent: unknown,
  route: GatewayRoute,
  options: RouteOptions,
): Promise<Response> {
  const request = validate(messagesRequest, sent)
  const exchange = context.get('exchange')
  exchange.upstream(route.to.name, route.model)
  const { raw } = context.req
  const work = new AbortController()
  const call: Call = {
    signal: AbortSignal.any([raw.signal, work.signal]),
    stop: () => work.abort(),
    model: route.model,
    headers: raw.headers,
    trace: {
      note: (message, error) => exchange.note(message, error),
      answered: (upstreamCall) => options.onUpstreamCall?.(upstreamCall),
    },
  }
  try {
    return await answer(context, request, route, call, options)
  } catch (error) {
    return failed(context, toUpstreamError(error))
  }
}

/** By csp's own tools, where the request has any; through the upstream as bytes, where that is possible. */
async function answer(
  context: Context<AppEnvironment>,
  request: MessagesRequest,
  { to }: GatewayRoute,
  call: Call,
  options: RouteOptions,
): Promise<Response> {
  const exchange = context.get('exchange')
  const { raw } = context.req
  const runner = () => createToolRunner(options, exchange, raw.headers)
  const search = to.isAnthropic ? undefined : loneSearch(request)
  if (search) {
    const id = exchange.id.replaceAll(/\W/g, '')
    return reply(context, request, fastSearch(search, request, id, runner(), call.signal), call, options)
  }
  const replayed = to.isAnthropic ? request : replayServerTools(request)
  if (!to.isAnthropic && hasServerTools(request)) {
    return reply(context, request, withServerTools(to.upstream, replayed, call, runner()), call, options)
  }
  const native = await to.native()
  if (!native) return reply(context, request, to.upstream.send(replayed, call), call, options)
  const query = new URL(raw.url).search
  return passOn(context, await native.forward(replayed, { ...call, query }), exchange, call)
}

async function reply(
  context: Context<AppEnvironment>,
  { stream }: MessagesRequest,
  events: AsyncIterable<MessagesEvent>,
  call: Call,
  options: RouteOptions,
): Promise<Response> {
  return stream ? streamed(context, events, call, options) : jsonReply(context, await foldMessage(events))
}

function passOn(context: Context<AppEnvironment>, reply: Response, exchange: Exchange, { stop }: Call): Response {
  const type = reply.headers.get('content-type') ?? 'application/json'
  context.header('content-type', type)
  if (!reply.body) return context.body(null)
  if (!type.startsWith('text/event-stream')) return context.body(reply.body)
  context.header('x-accel-buffering', 'no')
  return context.body(watchedStream(reply.body, { onCancel: stop, onEnd: () => exchange.finish(200) }))
}

/** Streams events. An error before the first of them keeps its status. */
async function streamed(
  context: Context<AppEnvironment>,
  events: AsyncIterable<MessagesEvent>,
  { stop }: Call,
  { heartbeatMs, commitAfterMs, maxUnreadMs }: RouteOptions,
): Promise<Response> {
  const exchange = context.get('exchange')
  const frames = framesOf(events)
  const first = frames.next()
  const isLate = (await withTimeout(first, commitAfterMs)) === late
  const body = eventStream({
    frames,
    first,
    isLate,
    heartbeatMs,
    maxUnreadMs,
    onError(error) {
      const failure = toUpstreamError(error)
      exchange.failed(codeOf(failure), failure)
      return [{ event: 'error', data: JSON.stringify(failure.toBody()) }]
    },
    onCancel: stop,
    onEnd: () => exchange.finish(200),
  })
  context.header('content-type', 'text/event-stream; charset=utf-8')
  context.header('x-accel-buffering', 'no')
  return context.body(body)
}

async function* framesOf(events: AsyncIterable<MessagesEvent>): AsyncGenerator<Frame, void, undefined> {
  for await (const event of events) yield { event: event.type, data: JSON.stringify(event) }
}

/** The upstream's own status and words, in the envelope of the Messages API. */
export function failed(context: Context<AppEnvironment>, failure: UpstreamError): Response {
  const exchange = context.get('exchange')
  exchange.failed(codeOf(failure), failure)
  const { status, retryAfterSeconds } = failure
  const headers = { ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }) }
  const body = { ...failure.toBody(), request_id: exchange.id }
  // Hono's type lacks 499 and 529, which are not registered; all statuses used here may have a body.
  return jsonReply(context, body, status as ContentfulStatusCode, headers)
}

/** How the log counts it. */
function codeOf({ status }: UpstreamError): SearchErrorCode {
  if (status === 499) return 'cancelled'
  if (status === 429) return 'rate-limited'
  if (status === 504 || status === 408) return 'timeout'
  if (status === 502 || status === 503 || status === 529) return 'unavailable'
  return status >= 500 ? 'failed' : 'invalid-request'
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
    const native = await route.to.native()
    const counted = await native?.countTokens(request, { signal: raw.signal, model: route.model, headers: raw.headers })
    if (counted !== undefined) return jsonReply(context, { input_tokens: counted })
  } catch (error) {
    return failed(context, toUpstreamError(error))
  }
  const { estimateInputTokens } = await import('../../../../gateway/messages/estimate.ts')
  context.header('x-csp-estimated', 'input_tokens')
  return jsonReply(context, { input_tokens: estimateInputTokens(request as MessagesRequest) })
}
