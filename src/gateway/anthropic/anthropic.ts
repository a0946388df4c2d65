import { readLimited } from '../../lib/bytes.ts'
import { parseJson } from '../../lib/json.ts'
import type { MessagesEvent } from '../messages/events.ts'
import type { MessagesRequest } from '../messages/request.ts'
import type { Upstream, UpstreamContext } from '../upstream.ts'
import { abortedCall, UpstreamError } from '../upstream-error.ts'
import { Connection, type ConnectionOptions } from './connection.ts'
import { passThrough } from './pass-through.ts'
import { eventsOf, readEvents, readMessage } from './read-events.ts'

export interface AnthropicOptions extends ConnectionOptions {
  /** What errors and the log call it. */
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
}

/** An upstream whose replies can also pass through unread. */
export interface AnthropicUpstream extends Upstream {
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
  /** The upstream's own count of a prompt's tokens; `undefined` where it does not count. */
  countTokens(request: Readonly<Record<string, unknown>>, context: UpstreamContext): Promise<number | undefined>
}

/** An upstream that speaks the Messages API itself. What csp does not understand passes. */
export function anthropic(options: AnthropicOptions): AnthropicUpstream {
  const { name, idleMs = 300_000, prepare = (request) => request } = options
  const connection = new Connection(options)
  const closing = new AbortController()

  const bodyOf = (request: MessagesRequest, model: string | undefined, stream: unknown): string =>
    JSON.stringify({ ...(connection.isAnthropic ? request : prepare(request)), model: model ?? request.model, stream })

  const signalFor = (caller: AbortSignal): AbortSignal => {
    if (closing.signal.aborted) throw closed()
    return AbortSignal.any([caller, closing.signal])
  }

  async function* send(request: MessagesRequest, context: UpstreamContext): AsyncGenerator<MessagesEvent> {
    if (context.signal.aborted) throw abortedCall(context.signal)
    const own = new AbortController()
    const signal = AbortSignal.any([signalFor(context.signal), own.signal])
    try {
      const body = bodyOf(request, context.model, true)
      const response = await connection.post('/messages', body, { signal, headers: context.headers })
      if (isStream(response)) yield* readEvents(response, request.model, signal, idleMs)
      else yield* eventsOf(readMessage(await wholeReply(response), request.model))
    } catch (error) {
      throw closing.signal.aborted && !context.signal.aborted ? closed() : error
    } finally {
      // The consumer may have left: the upstream need not write on.
      own.abort()
    }
  }

  return {
    name,
    send,
    async forward(request, context) {
      const signal = signalFor(context.signal)
      const body = bodyOf(request, context.model, request.stream ?? false)
      const { headers, query } = context
      const response = await connection.post('/messages', body, { signal, headers, query })
      if (isStream(response)) return passThrough(response, request.model, signal, idleMs)
      return Response.json(readMessage(await wholeReply(response), request.model))
    },
    async speaksMessages() {
      const signal = signalFor(AbortSignal.timeout(10_000))
      return (await connection.refusal('/messages', '{}', { signal }))?.isEnvelope ?? true
    },
    async countTokens(request, { signal, model, headers }) {
      const body = JSON.stringify({ ...request, ...(model !== undefined && { model }) })
      try {
        const response = await connection.post('/messages/count_tokens', body, { signal: signalFor(signal), headers })
        const reply = await wholeReply(response)
        const count: unknown =
          typeof reply === 'object' && reply !== null ? Reflect.get(reply, 'input_tokens') : undefined
        return typeof count === 'number' ? count : undefined
      } catch (error) {
        if (signal.aborted) throw error
        // Most servers have no such route.
        return undefined
      }
    },
    async close() {
      closing.abort()
    },
  }
}

function isStream({ headers }: Response): boolean {
  return headers.get('content-type')?.toLowerCase().startsWith('text/event-stream') ?? false
}

async function wholeReply(response: Response): Promise<unknown> {
  const text = await readLimited(response, maxReplyBytes)
  if (text === undefined) throw new UpstreamError(502, 'The reply of the upstream is too large.')
  return parseJson(text)
}

const maxReplyBytes = 64 * 1024 * 1024

function closed(): UpstreamError {
  return new UpstreamError(503, 'csp is shutting down.')
}
