import { RunningWork } from '@csp/lib/abort'
import { eventText } from '@csp/lib/event-stream'
import { isObject } from '@csp/lib/json'
import { toldCount } from '@csp/lib/told-count'
import { plainUrl } from '@csp/lib/url'
import { estimateInputTokens } from '@csp/messages-api/estimate'
import type { Message, MessagesEvent } from '@csp/messages-api/events'
import type { ContentBlock, MessagesRequest } from '@csp/messages-api/request'
import { eventsOf } from '@csp/messages-api/unfold'
import { abortedCall, shuttingDown, toUpstreamError, type UpstreamError } from '@csp/messages-api/upstream-error'
import { ownSignature } from '../own-signature.ts'
import { adapting } from '../translation/adapting.ts'
import { LearnedCapabilities } from '../translation/capabilities.ts'
import { failureInReply } from '../translation/provider-error.ts'
import type { Upstream, UpstreamContext } from '../upstream.ts'
import { adapted, adaptedBetas } from './adapted.ts'
import { Connection, type ConnectionOptions } from './connection.ts'
import { openStream, passingHeaders } from './pass-through.ts'
import { readEvents, readReply } from './read-events.ts'
import { refusedByNative, type SentRequest } from './refusal.ts'
import { ReplyMeter } from './reply-meter.ts'

/** The address of a server with the Messages API, and how long it may be silent. */
export interface NativeUpstreamOptions extends ConnectionOptions {
  /** Its name in errors and in the log. */
  readonly name: string
  /** How long a stream may be silent, in ms; five minutes by default. */
  readonly idleMs?: number | undefined
  /** How often a silent stream gets a comment, in ms; 15 seconds by default. */
  readonly heartbeatMs?: number | undefined
  /** What servers have refused, shared by upstreams; by default one of its own that forgets with the process. */
  readonly capabilities?: LearnedCapabilities | undefined
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

/**
 * An upstream that speaks the Messages API itself. What csp does not understand passes; what the server refuses is changed, and
 * learned. The vendor's own API gets every request as it is.
 */
export function nativeUpstream(options: NativeUpstreamOptions): NativeUpstream {
  const { name, key, idleMs = 300_000, heartbeatMs, prepare = (request) => request } = options
  const { capabilities = new LearnedCapabilities() } = options
  const connection = new Connection(options)
  const calls = new RunningWork(shuttingDown)

  const meterFor = ({ model }: MessagesRequest, context: UpstreamContext): ReplyMeter =>
    new ReplyMeter(connection.baseUrl, context.model ?? model, context.trace)

  /** Begins a reply: at the vendor's own API of the request as it is, elsewhere in the form that the server takes. */
  async function begin<Reply>(
    request: MessagesRequest,
    { model = request.model, headers, trace, query }: ForwardContext,
    signal: AbortSignal,
    open: (response: Response) => Promise<Reply>,
  ): Promise<Reply> {
    const own = { ...withoutOwnThoughts(connection.isAnthropic ? request : prepare(request)), model }
    const post = async ({ request: body, beta }: SentRequest): Promise<Reply> => {
      const text = JSON.stringify(body)
      return open(
        await connection.post('/messages', text, { signal, version: headers?.get('anthropic-version'), beta, query }),
      )
    }
    const beta = headers?.get('anthropic-beta') ?? undefined
    try {
      if (connection.isAnthropic) return await post({ request: own, beta })
      const place = `${plainUrl(connection.baseUrl)}/messages`
      return await adapting<SentRequest, Reply>({
        capabilities,
        place,
        model,
        body: (form) => ({ request: adapted(own, form), beta: adaptedBetas(beta, form.without) }),
        asked: ({ request: { max_tokens } }) => max_tokens ?? undefined,
        refused: refusedByNative,
        begin: post,
        promptTokens: () => estimateInputTokens(own),
        signal,
        note: (message, error) => trace?.note(`capabilities of ${model} at ${place}: ${message}`, error),
      })
    } catch (error) {
      throw connection.explained(error)
    }
  }

  async function* send(request: MessagesRequest, context: UpstreamContext): AsyncGenerator<MessagesEvent> {
    if (context.signal.aborted) throw abortedCall(context.signal)
    const call = calls.begin(context.signal)
    const { signal } = call
    const meter = meterFor(request, context)
    let events: AsyncGenerator<MessagesEvent, void, undefined> | undefined
    try {
      let step = await begin({ ...request, stream: true }, context, signal, async (response) => {
        const all = isStream(response)
          ? readEvents(response, { model: request.model, signal, idleMs, key })
          : wholeReply(readReply(await connection.read(response, signal), request.model))
        const first = await all.next()
        events = all
        return first
      })
      while (!step.done) {
        const event = step.value
        if (event.type === 'message_start') meter.read(event.message.usage)
        if (event.type === 'message_delta') meter.read(event.usage)
        yield event
        step = (await events?.next()) ?? over
      }
    } catch (error) {
      throw calls.isClosed && !context.signal.aborted ? shuttingDown() : connection.explained(error)
    } finally {
      // The consumer may have left: the upstream need not write on.
      await events?.return()
      call.end()
      if (events) meter.end()
    }
  }

  return {
    name,
    send,
    async forward(request, context) {
      const call = calls.begin(context.signal)
      const { signal } = call
      const { onEnd, trace } = context
      try {
        const meter = meterFor(request, context)
        const end = () => {
          call.end()
          meter.end()
          onEnd?.()
        }
        const onBreak = (error: UpstreamError) => trace?.brokeOff?.(error)
        const explained = (error: unknown) => explainedIn(connection, error)
        const passing = { model: request.model, signal, idleMs, key, meter, explained, heartbeatMs, onBreak }
        return await begin({ ...request, stream: request.stream ?? false }, context, signal, async (response) => {
          if (isStream(response)) {
            const stream = openStream(response, passing)
            const failure = connection.isAnthropic ? undefined : await stream.failure()
            if (failure === undefined) return stream.reply(end)
            await stream.close()
            throw failureInReply(failure)
          }
          const message = readReply(await connection.read(response, signal), request.model)
          meter.read(message.usage)
          end()
          const headers = passingHeaders(response)
          // Whatever the server made of it: the caller reads a stream.
          return request.stream ? streamOf(eventsOf(message), headers) : Response.json(message, { headers })
        })
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
        const response = await connection.post('/messages/count_tokens', body, {
          signal: call.signal,
          version: headers?.get('anthropic-version'),
          beta: headers?.get('anthropic-beta') ?? undefined,
        })
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

async function* wholeReply(message: Message): AsyncGenerator<MessagesEvent, void, undefined> {
  yield* eventsOf(message)
}

const over = { done: true, value: undefined } as const

/** An error in a stream in words that clients know; the vendor's own goes on as it is. */
function explainedIn(connection: Connection, error: unknown): UpstreamError | undefined {
  return connection.isAnthropic ? undefined : toUpstreamError(connection.explained(failureInReply(error)))
}

function streamOf(events: Iterable<MessagesEvent>, headers: Readonly<Record<string, string>>): Response {
  const frames = Array.from(events, (event) => eventText({ event: event.type, data: JSON.stringify(event) }))
  return new Response(frames.join(''), { headers: { ...headers, 'content-type': 'text/event-stream; charset=utf-8' } })
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
