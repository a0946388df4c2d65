import { toldCount } from '@csp/lib/told-count'
import { z } from 'zod'
import type { Message, MessagesEvent } from './events.ts'

/** An event of a stream, checked down to what our code reads; `undefined` for anything else. */
export function readEvent(value: unknown): MessagesEvent | undefined {
  return eventSchema.safeParse(value).data as MessagesEvent | undefined
}

/** Whether events of this type are among those that csp reads. The API may add others one day. */
export function isEventType(type: string): boolean {
  return eventSchema.options.some((option) => option.shape.type.value === type)
}

/** A whole message, checked down to what our code reads; `undefined` for anything else. */
export function readMessage(value: unknown): Message | undefined {
  return messageSchema.safeParse(value).data as unknown as Message | undefined
}

const count = toldCount.nullish().catch(null)
const usage = z
  .looseObject({
    input_tokens: count,
    cache_creation_input_tokens: count,
    cache_read_input_tokens: count,
    output_tokens: toldCount.catch(0),
  })
  .catch({ output_tokens: 0 })
/** A block and a delta keep the fields of their type. */
const typed = z.looseObject({ type: z.string() })

const messageSchema = z.looseObject({
  id: z.string(),
  type: z.literal('message'),
  role: z.literal('assistant'),
  content: z.array(typed),
  stop_reason: z.string().nullish(),
  stop_sequence: z.string().nullish(),
  usage,
})
/** Compatible servers begin a stream with less than the API does. */
const startedSchema = messageSchema.extend({
  id: z.string().default(''),
  type: z.literal('message').default('message'),
  role: z.literal('assistant').default('assistant'),
  content: z.array(typed).default([]),
})
const index = z.int().min(0)
const orNull = z.string().nullable().default(null)

const eventSchema = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('message_start'), message: startedSchema }),
  z.looseObject({ type: z.literal('content_block_start'), index, content_block: typed }),
  z.looseObject({ type: z.literal('content_block_delta'), index, delta: typed }),
  z.looseObject({ type: z.literal('content_block_stop'), index }),
  z.looseObject({
    type: z.literal('message_delta'),
    delta: z.looseObject({ stop_reason: orNull, stop_sequence: orNull }),
    usage,
  }),
  z.looseObject({ type: z.literal('message_stop') }),
  z.looseObject({ type: z.literal('ping') }),
])
