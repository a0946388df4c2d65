import { expect, test } from 'bun:test'
import { isEventType, readEvent, readMessage } from '../src/read-event.ts'

const usage = { output_tokens: 0 }
const message = { id: 'a', type: 'message', role: 'assistant', content: [{ type: 'new', x: 1 }], usage, more: 1 }

test('a message has all that its readers read, and keeps its other fields', () => {
  expect<unknown>(readMessage(message)).toEqual(message)
  for (const field of ['id', 'type', 'role', 'content'])
    expect(readMessage({ ...message, [field]: undefined })).toBeUndefined()
  expect(readMessage({ ...message, content: [{ text: 'without type' }] })).toBeUndefined()
})

test('the head of a stream may leave out what is the same in each', () => {
  expect<unknown>(readEvent({ type: 'message_start', message: { model: 'm' } })).toEqual({
    type: 'message_start',
    message: { id: '', type: 'message', role: 'assistant', content: [], model: 'm', usage },
  })
})

test.each([
  [
    { output_tokens: 5, input_tokens: 3, other: 'x' },
    { output_tokens: 5, input_tokens: 3, other: 'x' },
  ],
  [{ input_tokens: 'many' }, { output_tokens: 0, input_tokens: null }],
  [{ output_tokens: -1 }, { output_tokens: 0 }],
  ['none', { output_tokens: 0 }],
])('the counters %j are read as %j', (sent, read) => {
  expect<unknown>(readEvent({ type: 'message_delta', delta: {}, usage: sent })).toEqual({
    type: 'message_delta',
    delta: { stop_reason: null, stop_sequence: null },
    usage: read,
  })
})

test.each([
  [{ type: 'content_block_start', index: 0, content_block: { type: 'new', x: 1 } }, true],
  [{ type: 'content_block_start', index: -1, content_block: { type: 'new' } }, false],
  [{ type: 'content_block_delta', index: 0, delta: {} }, false],
  [{ type: 'content_block_stop', index: 1.5 }, false],
  [{ type: 'ping', x: 1 }, true],
  [{ type: 'dance' }, false],
  [null, false],
])('%j is an event: %p', (value, isOne) => {
  expect<unknown>(readEvent(value)).toEqual(isOne ? value : undefined)
})

test('events that are read are told from those that the API may add', () => {
  const types = ['message_start', 'content_block_delta', 'message_stop', 'ping', 'dance', '']
  expect(types.map(isEventType)).toEqual([true, true, true, true, false, false])
})
