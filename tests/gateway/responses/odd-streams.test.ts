import { expect, test } from 'bun:test'
import { openai } from '../../../src/gateway/responses/responses.ts'
import { foldMessage } from '../../../src/messages-api/fold.ts'
import { streamOf } from '../support/provider-stream.ts'
import { frameOf } from '../support/strict-provider.ts'

// Servers of the Responses API that are not OpenAI leave out, move or repeat things.

const call = (id: string, json: string) => ({
  type: 'function_call',
  id: `fc_${id}`,
  call_id: id,
  name: 'f',
  arguments: json,
})
const added = (id: string) => ({ type: 'response.output_item.added', item: call(id, '') })
const grown = (id: string, delta: string) => ({
  type: 'response.function_call_arguments.delta',
  item_id: `fc_${id}`,
  delta,
})
const done = (id: string, json: string) => ({ type: 'response.output_item.done', item: call(id, json) })
const ended = (...output: readonly object[]) => ({
  type: 'response.completed',
  response: { status: 'completed', output },
})
const message = { type: 'message', id: 'msg_1', content: [{ type: 'output_text', text: 'Hi.' }] }
const said = { type: 'response.output_item.done', output_index: 0, item: message }

const both = [
  { id: 'a', input: { x: 1 } },
  { id: 'b', input: { y: 2 } },
]

test.each([
  [
    'calls without places',
    [
      added('a'),
      added('b'),
      grown('b', '{"y":2}'),
      grown('a', '{"x":1}'),
      done('a', '{"x":1}'),
      done('b', '{"y":2}'),
      ended(),
    ],
    both,
  ],
  ['whole calls without places', [done('a', '{"x":1}'), done('b', '{"y":2}'), ended()], both],
  [
    'calls at other places in the last event',
    [
      said,
      { ...done('a', '{"x":1}'), output_index: 1 },
      { ...done('b', '{"y":2}'), output_index: 2 },
      ended(call('a', '{"x":1}'), call('b', '{"y":2}')),
    ],
    both,
  ],
  [
    'arguments of which a part was streamed',
    [added('a'), grown('a', '{"x"'), done('a', '{"x":1}'), done('b', '{"y":2}'), ended()],
    both,
  ],
  [
    'arguments that only the end of their stream has whole',
    [
      added('a'),
      grown('a', '{"x'),
      { type: 'response.function_call_arguments.done', item_id: 'fc_a', arguments: '{"x":1}' },
      done('b', '{"y":2}'),
      ended(),
    ],
    both,
  ],
  [
    'calls at one and the same place',
    [
      { ...added('a'), output_index: 0 },
      { ...grown('a', '{"x":1}'), output_index: 0 },
      { ...done('a', '{"x":1}'), output_index: 0 },
      { ...added('b'), output_index: 0 },
      { ...grown('b', '{"y":2}'), output_index: 0 },
      { ...done('b', '{"y":2}'), output_index: 0 },
      ended(),
    ],
    both,
  ],
  [
    'raw line breaks in arguments',
    [added('a'), grown('a', '{"x":"1\n'), done('a', '{"x":"1\n2"}'), done('b', '{"y":"\n"}'), ended()],
    [
      { id: 'a', input: { x: '1\n2' } },
      { id: 'b', input: { y: '\n' } },
    ],
  ],
])('No call is lost, doubled or cut: %s', async (_name, events, expected) => {
  const { content } = await foldMessage(reply(events))
  expect(content.filter(({ type }) => type === 'tool_use')).toMatchObject(expected)
})

test.each([
  [
    { type: 'error', code: 'something_new', message: 'No.', error: { type: 'invalid_request_error', message: 'No.' } },
    400,
  ],
  [
    {
      type: 'response.failed',
      response: { status: 'failed', error: { type: 'invalid_request_error', message: 'No.' } },
    },
    400,
  ],
  [{ type: 'error', code: 'server_error', message: 'No.' }, 500],
])('An error in the stream has the status of its cause: %j', async (event, status) => {
  await expect(foldMessage(reply([event]))).rejects.toMatchObject({ status })
})

function reply(events: readonly object[]) {
  const text = events.map((event) => frameOf({ ...event })).join('')
  const upstream = openai({ name: 'x', baseUrl: 'http://provider.example/v1', fetch: async () => streamOf(text) })
  const request = { model: 'm', messages: [{ role: 'user' as const, content: 'hi' }] }
  return upstream.send(request, { signal: new AbortController().signal })
}
