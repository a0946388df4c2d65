import { RunningWork } from '@csp/lib/abort'
import { eventText } from '@csp/lib/event-stream'
import { isObject } from '@csp/lib/json'
import { toldCount } from '@csp/lib/told-count'
import type { MessagesEvent } from '@csp/messages-api/events'
import type { ContentBlock, MessagesRequest } from '@csp/messages-api/request'
import { eventsOf } from '@csp/messages-api/unfold'
import { abortedCall, shuttingDown, type UpstreamError } from '@csp/messages-api/upstream-error'
import { ownSignature } from '../own-signature.ts'
import type { Upstream, UpstreamContext } from '../upstream.ts'
import { Connection, type ConnectionOptions } from './connection.ts'
import { passThrough } from './pass-through.ts'
import { readEvents, readReply } from './read-events.ts'
import { ReplyMeter } from './reply-meter.ts'

/** The address of a server with the Messages API, and how long it may be silent. */
export interface NativeUpstreamOptions extends ConnectionOptions {
  /** Its name in errors and in the log. */
  readonly name: string
  /** How long a stream may be silent, in ms; five minutes by default. */
  readonly idleMs?: number | undefined
  /** Takes out of a request what voids a cache, where the upstream is not Anthropic. */
  readonly prepare?: ((request: MessagesRequest) => MessagesRequest) | undefined
}

/** A request whose reply passes through as bytes. */
export interface ForwardContext extends UpstreamContext {
  /** The query string of the caller's request, with its question mark. */
  readonly query?: string | undefined
  /** Called once when the body of the reply has ended, however it did. Not called where `forward` throws. */
  readonly onEnd?: (() => void) | undefined
}

/** An upstream whose replies can also pass through unread. */
export interface NativeUpstream extends Upstream {
  /**
   * Sends the request as it is, but for the model's name, and resolves with the reply as it is, but for that name: a
   * stream, or JSON. Throws an `UpstreamError` before the reply; a stream that breaks off ends with an error event.
   */
  forward(request: MessagesRequest, context: ForwardContext): Promise<Response>
  /**
   * Whether the server has the Messages API, by what it says to an empty request, which costs nothing. Throws an
   * `UpstreamError` when it cannot be reached.
   */
  speaksMessages(): Promise<boolean>
  /** The upstream's own count of a prompt's tokens; `undefined` if it does not count. */
  countTokens(request: Readonly<Record<string, unknown>>, context: UpstreamContext): Promise<number | undefined>
}

/** An upstream that speaks the Messages API itself. What csp does not understand passes. */
export function nativeUpstream(options: NativeUpstreamOptions): NativeUpstream {
  const { name, key, idleMs = 300_000, prepare = (request) => request } = options
  const connection = new Connection(options)
  const calls = new RunningWork(shuttingDown)

  const bodyOf = (request: MessagesRequest, model: string | undefined, stream: unknown): string => {
    const asked = withoutOwnThoughts(connection.isAnthropic ? request : prepare(request))
    return JSON.stringify({ ...asked, model: model ?? request.model, stream })
  }

  const meterFor = ({ model }: MessagesRequest, context: UpstreamContext): ReplyMeter =>
    new ReplyMeter(connection.baseUrl, context.model ?? model, context.trace)

  async function* send(request: MessagesRequest, context: UpstreamContext): AsyncGenerator<MessagesEvent> {
    if (context.signal.aborted) throw abortedCall(context.signal)
    const call = calls.begin(context.signal)
    const { signal } = call
    const meter = meterFor(request, context)
    let hasBegun = false
    try {
      const body = bodyOf(request, context.model, true)
      const response = await connection.post('/messages', body, { signal, headers: context.headers })
      hasBegun = true
      const events = isStream(response)
        ? readEvents(response, { model: request.model, signal, idleMs, key })
        : eventsOf(readReply(await connection.read(response, signal), request.model, key))
      for await (const event of events) {
        if (event.type === 'message_start') meter.read(event.message.usage)
        if (event.type === 'message_delta') meter.read(event.usage)
        yield event
      }
    } catch (error) {
      throw calls.isClosed && !context.signal.aborted ? shuttingDown() : error
    } finally {
      // The consumer may have left: the upstream need not write on.
      call.end()
      if (hasBegun) meter.end()
    }
  }

  return {
    name,
    send,
    async forward(request, context) {
      const call = calls.begin(context.signal)
      const { signal } = call
      try {
        const body = bodyOf(request, context.model, request.stream ?? false)
        const { headers, query, onEnd, trace } = context
        const meter = meterFor(request, context)
        const response = await connection.post('/messages', body, { signal, headers, query })
        const end = () => {
          call.end()
          meter.end()
          onEnd?.()
        }
        if (isStream(response)) {
          const onBreak = (error: UpstreamError) => trace?.brokeOff?.(error)
          return passThrough(response, { model: request.model, signal, idleMs, key, meter, onBreak, onEnd: end })
        }
        const message = readReply(await connection.read(response, signal), request.model, key)
        meter.read(message.usage)
        end()
        // Whatever the server made of it: the caller reads a stream.
        return request.stream ? streamOf(eventsOf(message)) : Response.json(message)
      } catch (error) {
        call.end()
        throw error
      }
    },
    async speaksMessages() {
      const call = calls.begin(AbortSignal.timeout(10_000))
      try {
        const status = await connection.refusal('/messages', '{}', { signal: call.signal })
        return status !== 404 && status !== 405
      } finally {
        call.end()
      }
    },
    async countTokens(request, { signal, model, headers }) {
      const body = JSON.stringify({ ...request, ...(model !== undefined && { model }) })
      const call = calls.begin(signal)
      try {
        const response = await connection.post('/messages/count_tokens', body, { signal: call.signal, headers })
        const reply = await connection.read(response, call.signal)
        return isObject(reply) ? toldCount.safeParse(reply['input_tokens']).data : undefined
      } catch (error) {
        if (signal.aborted) throw error
        // Most servers have no such route.
        return undefined
      } finally {
        call.end()
      }
    },
    async close() {
      calls.close()
    },
  }
}

function streamOf(events: Iterable<MessagesEvent>): Response {
  const frames = Array.from(events, (event) => eventText({ event: event.type, data: JSON.stringify(event) }))
  return new Response(frames.join(''), { headers: { 'content-type': 'text/event-stream; charset=utf-8' } })
}

function isStream({ headers }: Response): boolean {
  return headers.get('content-type')?.toLowerCase().startsWith('text/event-stream') ?? false
}

/**
 * The request without thoughts that csp signed for a model behind another API: a server that speaks the Messages API itself
 * refuses a signature that is not its own. A message that held nothing else is left out.
 */
function withoutOwnThoughts(request: MessagesRequest): MessagesRequest {
  const messages = request.messages.flatMap((message) => {
    const { content } = message
    if (typeof content === 'string' || !content.some(isOwnThought)) return [message]
    const rest = content.filter((block) => !isOwnThought(block))
    return rest.length > 0 ? [{ ...message, content: rest }] : []
  })
  return { ...request, messages }
}

function isOwnThought({ type, signature }: ContentBlock): boolean {
  return type === 'thinking' && typeof signature === 'string' && signature.startsWith(ownSignature)
}
