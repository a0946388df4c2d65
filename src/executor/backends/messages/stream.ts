import { createParser } from 'eventsource-parser'
import { z } from 'zod'
import { SearchError } from '../../../domain/error.ts'
import { parseJson } from '../../../lib/json.ts'
import { explainMessagesError } from './error.ts'

/** A block of a message. Unknown fields are kept, since the block must be sent back whole. */
export const blockSchema = z.looseObject({ type: z.string() })

export type ApiBlock = z.output<typeof blockSchema>

const count = z.number().nullish()
const usage = z.object({
  input_tokens: count,
  cache_creation_input_tokens: count,
  cache_read_input_tokens: count,
  output_tokens: count,
})

const delta = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  partial_json: z.string().optional(),
  citation: z.unknown().optional(),
  thinking: z.string().optional(),
  signature: z.string().optional(),
})

const index = z.number()

/** The events of the stream that csp uses. Others are skipped. */
const eventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('message_start'), message: z.object({ model: z.string(), usage: usage.optional() }) }),
  z.object({ type: z.literal('content_block_start'), index, content_block: blockSchema }),
  z.object({ type: z.literal('content_block_delta'), index, delta }),
  z.object({ type: z.literal('content_block_stop'), index }),
  z.object({
    type: z.literal('message_delta'),
    delta: z.object({ stop_reason: z.string().nullish() }),
    usage: usage.optional(),
  }),
  z.object({ type: z.literal('message_stop') }),
  z.object({ type: z.literal('error'), error: z.object({ type: z.string(), message: z.string() }) }),
])

export type StreamEvent = Exclude<z.output<typeof eventSchema>, { readonly type: 'error' }>

/** Parses the stream of the Messages API. Throws on an `error` event, and when the stream breaks off. */
export async function* readStream(
  bytes: AsyncIterable<Uint8Array>,
  now: Date,
): AsyncGenerator<StreamEvent, void, undefined> {
  const arrived: string[] = []
  const parser = createParser({ onEvent: ({ data }) => arrived.push(data) })
  const decoder = new TextDecoder()
  for await (const chunk of bytes) {
    parser.feed(decoder.decode(chunk, { stream: true }))
    for (const data of arrived.splice(0)) {
      const event = eventSchema.safeParse(parseJson(data)).data
      if (!event) continue
      if (event.type === 'error') {
        throw explainMessagesError(
          { type: event.error.type, message: event.error.message, headers: new Headers() },
          now,
        )
      }
      yield event
      if (event.type === 'message_stop') return
    }
  }
  throw new SearchError('unavailable', 'The Anthropic API broke off in the middle of its reply.')
}
