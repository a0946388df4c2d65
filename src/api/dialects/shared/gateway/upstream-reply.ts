import type { MessagesEvent } from '@csp/messages-api/events'
import { foldMessage } from '@csp/messages-api/fold'
import type { MessagesRequest } from '@csp/messages-api/request'
import { toUpstreamError, type UpstreamError } from '@csp/messages-api/upstream-error'
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { SearchErrorCode } from '../../../../domain/error.ts'
import type { Frame } from '../../../dialect.ts'
import type { AppEnvironment, Exchange } from '../../../exchange/exchange.ts'
import { jsonReply } from '../../../http/json-reply.ts'
import type { RouteOptions } from '../../../serve/serve-search.ts'
import { watchedStream } from '../../../serve/sse.ts'
import { streamReply } from '../../../serve/stream-reply.ts'

/** What a reply tells of itself. */
export interface ReplyWatch {
  /** Called when the client has left, to stop the work. */
  readonly stop: () => void
  /** Called when a stream that has begun fails. */
  readonly onFailure: () => void
  /** Called once, when the last byte has gone out. */
  readonly onEnd: () => void
}

/** Sends events, as a stream or as the message that they fold to. */
export async function sendEvents(
  context: Context<AppEnvironment>,
  { stream }: MessagesRequest,
  events: AsyncIterable<MessagesEvent>,
  watch: ReplyWatch,
  options: RouteOptions,
): Promise<Response> {
  if (stream) {
    return streamFrames(context, framesOf(events), watch, options, (failure) => [
      { event: 'error', data: JSON.stringify(failure.toBody()) },
    ])
  }
  const message = await foldMessage(events)
  watch.onEnd()
  return jsonReply(context, message)
}

/** Sends a reply that passes through. */
export async function passOn(
  context: Context<AppEnvironment>,
  reply: Response,
  watch: ReplyWatch,
  { maxUnreadMs }: RouteOptions,
): Promise<Response> {
  const { stop, onEnd } = watch
  const type = reply.headers.get('content-type') ?? 'application/json'
  context.header('content-type', type)
  // The upstream's id of the request is the one that its support asks for.
  for (const [name, value] of reply.headers) if (!own.includes(name)) context.header(name, value)
  if (reply.body && type.startsWith('text/event-stream')) {
    const exchange = context.get('exchange')
    const watched = watchedStream(reply.body, {
      maxUnreadMs,
      onCancel() {
        exchange.left()
        stop()
      },
      onError: (error) => noteFailure(exchange, toUpstreamError(error)),
      onEnd() {
        onEnd()
        exchange.finish(200)
      },
    })
    return context.body(watched)
  }
  // As text, which costs less than a stream and goes out with its length.
  const text = await reply.text()
  onEnd()
  return context.body(text)
}

/** The server sets these itself. */
const own: readonly string[] = ['content-length', 'cache-control']

/** Streams frames. An error before the first of them keeps its status. */
export function streamFrames(
  context: Context<AppEnvironment>,
  frames: AsyncGenerator<Frame, void, undefined>,
  { stop, onFailure, onEnd }: ReplyWatch,
  { heartbeatMs, commitAfterMs, maxUnreadMs }: RouteOptions,
  formatError: (failure: UpstreamError) => readonly Frame[],
): Promise<Response> {
  return streamReply(context, {
    frames,
    heartbeatMs,
    commitAfterMs,
    maxUnreadMs,
    stop,
    onEnd,
    onError(error) {
      const failure = toUpstreamError(error)
      noteFailure(context.get('exchange'), failure)
      onFailure()
      return formatError(failure)
    },
  })
}

async function* framesOf(events: AsyncIterable<MessagesEvent>): AsyncGenerator<Frame, void, undefined> {
  for await (const event of events) yield { event: event.type, data: JSON.stringify(event) }
}

/** The upstream's own status and words, in the envelope of the Messages API. */
export function failed(context: Context<AppEnvironment>, failure: UpstreamError): Response {
  const exchange = context.get('exchange')
  noteFailure(exchange, failure)
  const { status, retryAfterSeconds } = failure
  const headers = { ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }) }
  const body = { ...failure.toBody(), request_id: exchange.id }
  // Hono's type lacks 499 and 529, which are not registered; all statuses used here may have a body.
  return jsonReply(context, body, status as ContentfulStatusCode, headers)
}

export function noteFailure(exchange: Exchange, failure: UpstreamError): void {
  exchange.failed(codeOf(failure), failure)
}

/** How the log counts it. */
export function codeOf({ status }: UpstreamError): SearchErrorCode {
  if (status === 499) return 'cancelled'
  if (status === 429) return 'rate-limited'
  if (status === 504 || status === 408) return 'timeout'
  if (status === 502 || status === 503 || status === 529) return 'unavailable'
  return status >= 500 ? 'failed' : 'invalid-request'
}
