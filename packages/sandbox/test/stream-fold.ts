import { EventSourceParserStream } from 'eventsource-parser/stream'
import { z } from 'zod'

/** Reads the named events of a streamed reply. Throws when an event's name is not its type, or the connection breaks. */
export async function readEvents(response: Response): Promise<readonly WireEvent[]> {
  const events: WireEvent[] = []
  const stream = response.body?.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
  for await (const { event, data } of stream ?? []) {
    const parsed = wireEvent.parse(JSON.parse(data))
    if (parsed.type !== event) throw new Error(`${event} is named ${parsed.type}`)
    events.push(parsed)
  }
  return events
}

/** Puts the events together to a message, as a client of the Messages API does. */
export function foldEvents(events: readonly WireEvent[]): unknown {
  let message: Record<string, unknown> = {}
  const content: Block[] = []
  for (const event of events) {
    if (event.type === 'message_start') message = { ...event.message }
    if (event.type === 'content_block_start' && event.content_block) content.push({ ...event.content_block })
    if (event.type === 'content_block_delta') applyDelta(content[event.index ?? -1], event.delta ?? {})
    if (event.type === 'message_delta') message = { ...message, ...event.delta, usage: event.usage }
  }
  for (const block of content) {
    if (typeof block['json'] === 'string') block['input'] = JSON.parse(block['json'])
    delete block['json']
  }
  return { ...message, content }
}

export type WireEvent = z.infer<typeof wireEvent>

type Block = Record<string, unknown>

const fields = z.record(z.string(), z.unknown())

const wireEvent = z.looseObject({
  type: z.string(),
  index: z.number().optional(),
  message: fields.optional(),
  content_block: fields.optional(),
  delta: fields.optional(),
  usage: fields.optional(),
})

function applyDelta(block: Block | undefined, delta: Block): void {
  if (!block) throw new Error('A delta came for a block that did not start.')
  if (delta['type'] === 'text_delta') block['text'] = `${block['text']}${delta['text']}`
  if (delta['type'] === 'input_json_delta') block['json'] = `${block['json'] ?? ''}${delta['partial_json']}`
  if (delta['type'] === 'citations_delta')
    block['citations'] = [...z.array(z.unknown()).parse(block['citations']), delta['citation']]
}
