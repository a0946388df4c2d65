import { eventData } from '@csp/lib/event-stream'
import { parseJson } from '@csp/lib/json'
import { withoutSecret } from '@csp/lib/secret'
import type { MessagesEvent } from '@csp/messages-api/events'
import { readEvent } from '@csp/messages-api/read-event'
import { z } from 'zod'
import { SearchError } from '../../../domain/error.ts'
import { explainMessagesError } from './error.ts'

/**
 * Parses the stream of the Messages API. Throws on an `error` event, without the key that it may repeat, and when the
 * stream breaks off.
 */
export async function* readStream(
  bytes: AsyncIterable<Uint8Array>,
  now: Date,
  apiKey?: string,
): AsyncGenerator<MessagesEvent, void, undefined> {
  // The client limits the whole reply.
  for await (const data of eventData(bytes, Number.POSITIVE_INFINITY)) {
    const value = parseJson(data)
    const failure = errorEvent.safeParse(value).data?.error
    if (failure) {
      const shown = { type: withoutSecret(failure.type, apiKey), message: withoutSecret(failure.message, apiKey) }
      throw explainMessagesError({ ...shown, headers: new Headers() }, now)
    }
    const event = readEvent(value)
    if (!event) continue
    yield event
    if (event.type === 'message_stop') return
  }
  throw new SearchError('unavailable', 'The Anthropic API broke off in the middle of its reply.')
}

const errorEvent = z.object({
  type: z.literal('error'),
  error: z.object({ type: z.string(), message: z.string() }),
})
