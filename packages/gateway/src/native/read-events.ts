import { eventData } from '@csp/lib/event-stream'
import { pieces } from '@csp/lib/http-client'
import { isObject, parseJson } from '@csp/lib/json'
import { SecretFilter } from '@csp/lib/secret'
import type { Message, MessagesEvent } from '@csp/messages-api/events'
import { isEventType, readEvent, readMessage } from '@csp/messages-api/read-event'
import { UpstreamError } from '@csp/messages-api/upstream-error'
import { errorWithin } from '../catalogue/error-within.ts'
import { failureInReply, ProviderReplyError } from '../translation/provider-error.ts'
import { toStreamError } from './connection.ts'

export interface ReadOptions {
  readonly model: string
  readonly signal: AbortSignal
  readonly idleMs: number
  /** Never goes to the caller. */
  readonly key?: string | undefined
}

/**
 * The events of a reply of the Messages API, under the model's name that the caller used. Throws a `ProviderReplyError` for
 * an error in the stream, and an `UpstreamError` for a stream that is silent for `idleMs` or has no end.
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
      const event = toEvent(parseJson(data), model)
      if (event) yield event
      hasEnded ||= event?.type === 'message_stop'
      if (hasEnded) return
    }
    throw new UpstreamError(502, 'The upstream broke off its reply.')
  } catch (error) {
    throw error instanceof ProviderReplyError ? error : toStreamError(error, signal, idleMs)
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
function toEvent(value: unknown, model: string): MessagesEvent | undefined {
  const type = isObject(value) ? value['type'] : undefined
  const mayFail = type === undefined || type === 'error' || (isObject(value) && 'error' in value)
  const error = mayFail ? errorWithin(value) : undefined
  if (error !== undefined) throw failureInReply(error)
  const event = readEvent(value)
  if (!event && typeof type === 'string' && isEventType(type)) {
    throw new UpstreamError(502, `The upstream sent a bad ${type}.`)
  }
  return event?.type === 'message_start' ? { ...event, message: { ...event.message, model } } : event
}

/** A whole message, under the model's name that the caller used. Throws a `ProviderReplyError` for an error in its place. */
export function readReply(value: unknown, model: string): Message {
  const message = readMessage(value)
  if (message) return { ...message, model }
  const error = errorWithin(value)
  throw error === undefined ? new UpstreamError(502, 'The upstream sent no message.') : failureInReply(error)
}
