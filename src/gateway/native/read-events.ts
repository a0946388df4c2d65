import { z } from 'zod'
import { chunks } from '../../lib/bytes.ts'
import { eventData } from '../../lib/event-stream.ts'
import { parseJson } from '../../lib/json.ts'
import { SecretFilter } from '../../lib/secret.ts'
import { errorStatus } from '../../messages-api/error.ts'
import type { BlockDelta, Message, MessagesEvent } from '../../messages-api/events.ts'
import type { ContentBlock } from '../../messages-api/request.ts'
import { abortedCall, UpstreamError } from '../../messages-api/upstream-error.ts'
import { readError } from './connection.ts'
import { Silence } from './silence.ts'

export interface ReadOptions {
  readonly model: string
  readonly signal: AbortSignal
  readonly idleMs: number
  /** Never goes to the caller. */
  readonly key?: string | undefined
}

/**
 * The events of a reply of the Messages API, under the model's name that the caller used. Throws an `UpstreamError` for
 * an error in the stream, and for a stream that is silent for `idleMs` or has no end.
 */
export async function* readEvents(
  response: Response,
  { model, signal, idleMs, key }: ReadOptions,
): AsyncGenerator<MessagesEvent, void, undefined> {
  if (!response.body) throw new UpstreamError(502, 'The upstream sent an empty reply.')
  try {
    let hasEnded = false
    for await (const data of eventData(withoutKey(watched(response.body, signal, idleMs), key), maxEventCharacters)) {
      const event = toEvent(parseJson(data), model, key)
      if (event) yield event
      hasEnded ||= event?.type === 'message_stop'
      if (hasEnded) return
    }
    if (signal.aborted) throw abortedCall(signal)
    throw new UpstreamError(502, 'The upstream broke off its reply.')
  } catch (error) {
    if (error instanceof UpstreamError) throw error
    if (signal.aborted) throw abortedCall(signal)
    throw new UpstreamError(502, 'The connection to the upstream broke in the middle of its reply.', { cause: error })
  }
}

/** A tool's arguments may come in one piece. */
const maxEventCharacters = 32 * 1024 * 1024

async function* withoutKey(
  source: AsyncIterable<Uint8Array>,
  key: string | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  const secrets = new SecretFilter(key)
  for await (const bytes of source) yield secrets.push(bytes)
  yield secrets.rest()
}

/** The chunks of a body. Ends the reading before it leaves, since a read that hangs would hold it up. */
async function* watched(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  idleMs: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  const leaving = new AbortController()
  const iterator = chunks(body, AbortSignal.any([signal, leaving.signal]))
  const silence = new Silence(idleMs)
  try {
    for (;;) {
      const { done, value } = await silence.orSooner(iterator.next())
      if (done) return
      yield value
    }
  } finally {
    silence.end()
    leaving.abort()
    await iterator.return()
  }
}

/** `undefined` for an event that the API may add one day. */
function toEvent(value: unknown, model: string, key: string | undefined): MessagesEvent | undefined {
  const type: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'type') : undefined
  if (type === 'error') throw errorIn(value, key)
  const event = eventSchema.safeParse(value).data
  if (!event) {
    if (typeof type === 'string' && isKnown(type)) throw new UpstreamError(502, `The upstream sent a bad ${type}.`)
    return undefined
  }
  // Checked above, down to what the code reads; a block and a delta keep the fields of their type.
  const checked = event as MessagesEvent
  return checked.type === 'message_start' ? { ...checked, message: { ...checked.message, model } } : checked
}

function errorIn(value: unknown, key: string | undefined): UpstreamError {
  const { type = 'api_error', message = 'The upstream failed in the middle of its reply.' } = readError(value, key)
  return new UpstreamError(errorStatus[type], message, { type })
}

const messageSchema = z.looseObject({
  id: z.string(),
  type: z.literal('message'),
  role: z.literal('assistant'),
  content: z.array(z.looseObject({ type: z.string() })),
  stop_reason: z.string().nullish(),
  stop_sequence: z.string().nullish(),
  usage: z.looseObject({ output_tokens: z.number() }).catch({ output_tokens: 0 }),
})
const index = z.int().min(0)

const eventSchema = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('message_start'), message: messageSchema }),
  z.looseObject({
    type: z.literal('content_block_start'),
    index,
    content_block: z.looseObject({ type: z.string() }),
  }),
  z.looseObject({ type: z.literal('content_block_delta'), index, delta: z.looseObject({ type: z.string() }) }),
  z.looseObject({ type: z.literal('content_block_stop'), index }),
  z.looseObject({
    type: z.literal('message_delta'),
    delta: z.looseObject({
      stop_reason: z.string().nullable().default(null),
      stop_sequence: z.string().nullable().default(null),
    }),
    usage: z.looseObject({ output_tokens: z.number() }).catch({ output_tokens: 0 }),
  }),
  z.looseObject({ type: z.literal('message_stop') }),
  z.looseObject({ type: z.literal('ping') }),
])

function isKnown(type: string): boolean {
  return eventSchema.options.some((option) => option.shape.type.value === type)
}

/** A whole message, under the model's name that the caller used. Throws an `UpstreamError` for anything else. */
export function readMessage(value: unknown, model: string, key: string | undefined): Message {
  const message = messageSchema.safeParse(value).data
  if (!message) {
    const { type, message: said } = readError(value, key)
    if (said !== undefined) throw new UpstreamError(errorStatus[type ?? 'api_error'], said, { type })
    throw new UpstreamError(502, 'The upstream sent no message.')
  }
  // Checked above, down to what the code reads.
  return { ...(message as unknown as Message), model }
}

/** The events of a whole message, from a server that does not stream. */
export function* eventsOf(message: Message): Generator<MessagesEvent, void, undefined> {
  const { content, stop_reason, stop_sequence, usage } = message
  yield { type: 'message_start', message: { ...message, content: [], stop_reason: null, stop_sequence: null } }
  for (const [position, block] of content.entries()) {
    const { start, deltas } = partsOf(block)
    yield { type: 'content_block_start', index: position, content_block: start }
    for (const delta of deltas) yield { type: 'content_block_delta', index: position, delta }
    yield { type: 'content_block_stop', index: position }
  }
  yield { type: 'message_delta', delta: { stop_reason, stop_sequence: stop_sequence ?? null }, usage }
  yield { type: 'message_stop' }
}

/** Clients read text, thoughts and arguments from deltas alone. */
function partsOf(block: ContentBlock): { readonly start: ContentBlock; readonly deltas: readonly BlockDelta[] } {
  const { text, thinking, signature, input } = block
  if (block.type === 'text' && typeof text === 'string') {
    return { start: { ...block, text: '' }, deltas: [{ type: 'text_delta', text }] }
  }
  if (block.type === 'thinking' && typeof thinking === 'string') {
    const signed = typeof signature === 'string' ? [{ type: 'signature_delta', signature } as const] : []
    return {
      start: { ...block, thinking: '', signature: '' },
      deltas: [{ type: 'thinking_delta', thinking }, ...signed],
    }
  }
  if (block.type === 'tool_use' || block.type === 'server_tool_use') {
    const partial_json = JSON.stringify(input ?? {})
    return { start: { ...block, input: {} }, deltas: [{ type: 'input_json_delta', partial_json }] }
  }
  return { start: block, deltas: [] }
}
