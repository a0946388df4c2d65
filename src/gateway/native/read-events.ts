import { eventData } from '../../lib/event-stream.ts'
import { pieces } from '../../lib/http-client.ts'
import { isObject, parseJson } from '../../lib/json.ts'
import { SecretFilter } from '../../lib/secret.ts'
import { errorStatus } from '../../messages-api/error.ts'
import type { Message, MessagesEvent } from '../../messages-api/events.ts'
import { isEventType, readEvent, readMessage } from '../../messages-api/read-event.ts'
import { UpstreamError } from '../../messages-api/upstream-error.ts'
import { readError, toStreamError } from './connection.ts'

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
  const bytes = pieces(response.body, { signal, silenceMs: () => idleMs })
  try {
    let hasEnded = false
    for await (const data of eventData(withoutKey(bytes, key), maxEventCharacters)) {
      const event = toEvent(parseJson(data), model, key)
      if (event) yield event
      hasEnded ||= event?.type === 'message_stop'
      if (hasEnded) return
    }
    throw new UpstreamError(502, 'The upstream broke off its reply.')
  } catch (error) {
    throw toStreamError(error, signal, idleMs)
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

/** `undefined` for an event that the API may add one day. */
function toEvent(value: unknown, model: string, key: string | undefined): MessagesEvent | undefined {
  const type = isObject(value) ? value['type'] : undefined
  if (type === 'error') throw errorIn(value, key)
  const event = readEvent(value)
  if (!event && typeof type === 'string' && isEventType(type)) {
    throw new UpstreamError(502, `The upstream sent a bad ${type}.`)
  }
  return event?.type === 'message_start' ? { ...event, message: { ...event.message, model } } : event
}

function errorIn(value: unknown, key: string | undefined): UpstreamError {
  const { type = 'api_error', message = 'The upstream failed in the middle of its reply.' } = readError(value, key)
  return new UpstreamError(errorStatus[type], message, { type })
}

/** A whole message, under the model's name that the caller used. Throws an `UpstreamError` for anything else. */
export function readReply(value: unknown, model: string, key: string | undefined): Message {
  const message = readMessage(value)
  if (!message) {
    const { type, message: said } = readError(value, key)
    if (said !== undefined) throw new UpstreamError(errorStatus[type ?? 'api_error'], said, { type })
    throw new UpstreamError(502, 'The upstream sent no message.')
  }
  return { ...message, model }
}
