import { expect, test } from 'bun:test'
import type { Message, MessagesEvent } from '../src/events.ts'
import { foldMessage, MessageFold } from '../src/fold.ts'
import { eventsOf } from '../src/unfold.ts'

const head = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm' } as const

async function* each(events: Iterable<MessagesEvent>): AsyncGenerator<MessagesEvent> {
  yield* events
}

test('the events of a message are those that clients read, block by block', () => {
  const citation = { type: 'char_location' }
  const content = [
    { type: 'text', text: 'Cited.', citations: [citation] },
    { type: 'text', text: 'Plain.' },
    { type: 'text', x: 'a text without text' },
    { type: 'thinking', thinking: 'Hm.', signature: 's' },
    { type: 'thinking', thinking: 'Unsigned.' },
    { type: 'thinking', signature: 'a thought without thinking' },
    { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } },
    { type: 'server_tool_use', id: 'b', name: 'g' },
    { type: 'new_block', input: { x: 1 } },
  ]
  const usage = { output_tokens: 7 }
  const events = [...eventsOf({ ...head, content, stop_reason: 'end_turn', stop_sequence: 'x', usage })]
  expect(events.map((event) => ('index' in event ? event.index : event.type))).toEqual([
    'message_start',
    ...[0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 5, 5, 6, 6, 6, 7, 7, 7, 8, 8],
    'message_delta',
    'message_stop',
  ])
  expect(events[0]).toEqual({
    type: 'message_start',
    message: { ...head, content: [], stop_reason: null, stop_sequence: null, usage },
  })
  expect(events.flatMap((event) => (event.type === 'content_block_start' ? [event.content_block] : []))).toEqual([
    { type: 'text', text: '', citations: [] },
    { type: 'text', text: '' },
    { type: 'text', x: 'a text without text' },
    { type: 'thinking', thinking: '', signature: '' },
    { type: 'thinking', thinking: '', signature: '' },
    { type: 'thinking', signature: 'a thought without thinking' },
    { type: 'tool_use', id: 'a', name: 'f', input: {} },
    { type: 'server_tool_use', id: 'b', name: 'g', input: {} },
    { type: 'new_block', input: { x: 1 } },
  ])
  expect(events.flatMap((event) => (event.type === 'content_block_delta' ? [event.delta] : []))).toEqual([
    { type: 'citations_delta', citation },
    { type: 'text_delta', text: 'Cited.' },
    { type: 'text_delta', text: 'Plain.' },
    { type: 'thinking_delta', thinking: 'Hm.' },
    { type: 'signature_delta', signature: 's' },
    { type: 'thinking_delta', thinking: 'Unsigned.' },
    { type: 'input_json_delta', partial_json: '{"x":1}' },
    { type: 'input_json_delta', partial_json: '{}' },
  ])
  expect(events.at(-2)).toEqual({
    ...{ type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: 'x' }, usage },
  })
})

test('the fold of the events of a message is that message', async () => {
  const content = [
    { type: 'text', text: 'Cited.', citations: [{ type: 'a' }, { type: 'b' }] },
    { type: 'thinking', thinking: 'Hm.', signature: 's' },
    { type: 'tool_use', id: 'a', name: 'f', input: { x: [1] } },
  ]
  const usage = { input_tokens: 1, output_tokens: 7 }
  const message: Message = { ...head, content, stop_reason: 'tool_use', stop_sequence: null, usage }
  expect(await foldMessage(each(eventsOf(message)))).toEqual(message)
})

test('a fold says what has been read so far', () => {
  const fold = new MessageFold()
  const text = (index: number, delta: string): MessagesEvent => ({
    ...{ type: 'content_block_delta', index, delta: { type: 'text_delta', text: delta } },
  })
  fold.read(text(0, 'before any block'))
  expect(fold.block(0)).toBeUndefined()
  const citations = [{ type: 'first' }]
  fold.read({ type: 'content_block_start', index: 1, content_block: { type: 'text', text: 'a', citations } })
  fold.read(text(1, 'b'))
  fold.read({ type: 'content_block_delta', index: 1, delta: { type: 'citations_delta', citation: { type: 'second' } } })
  const cited = { type: 'text', text: 'ab', citations: [{ type: 'first' }, { type: 'second' }] }
  expect([fold.content, fold.block(1)]).toEqual([[cited], cited])
  fold.read({ type: 'content_block_start', index: 2, content_block: { type: 'thinking', thinking: 'a' } })
  expect(fold.block(2)).toEqual({ type: 'thinking', thinking: 'a' })
  fold.read({ type: 'content_block_start', index: 3, content_block: { type: 'text' } })
  expect(fold.block(3)).toEqual({ type: 'text', text: '' })
})
