import { expect, test } from 'bun:test'
import { foldMessage } from '@csp/messages-api/fold'
import { toEvent } from '../../src/responses/reply/event.ts'
import { ResponseParser } from '../../src/responses/reply/response-parser.ts'
import { responsesUpstream } from '../../src/responses/responses.ts'
import { CallIds } from '../../src/translation/call-ids.ts'
import type { UpstreamTrace } from '../../src/upstream.ts'
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

test('Arguments that were sent and are no JSON end the reply with an error, unless the limit of tokens cut them', async () => {
  const events = [added('a'), grown('a', '{"x": nothing')]
  await expect(foldMessage(reply([...events, ended()]))).rejects.toMatchObject({
    status: 502,
    message: expect.stringContaining(' f '),
  })
  const cut = { type: 'response.incomplete', response: { incomplete_details: { reason: 'max_output_tokens' } } }
  expect(await foldMessage(reply([...events, cut]))).toMatchObject({ stop_reason: 'max_tokens' })
})

test('A thought that is no secret is taken from its item where no piece of it came, once', async () => {
  const item = (more: object) => ({
    type: 'response.output_item.done',
    output_index: 0,
    item: { type: 'reasoning', id: 'rs_1', ...more },
  })
  const content = [{ type: 'reasoning_text', text: 'Let me ' }, { type: 'reasoning_text' }, { text: 'see.' }]
  const thoughtOf = async (...events: object[]) => {
    const { content } = await foldMessage(reply([...events, { ...said, output_index: 1 }, ended()], thinking))
    return content.flatMap((block) => (block.type === 'thinking' ? [block['thinking']] : []))
  }
  expect(await thoughtOf(item({ content }))).toEqual(['Let me see.'])
  const summary = [{ type: 'summary_text', text: 'I looked.' }]
  expect(await thoughtOf(item({ content, summary }))).toEqual(['I looked.'])
  const piece = { type: 'response.reasoning_text.delta', output_index: 0, item_id: 'rs_1', delta: 'Let me see.' }
  expect(await thoughtOf(piece, item({ content }))).toEqual(['Let me see.'])
})

test('Items that are never done end with the reply, and no call behind them is lost', async () => {
  const begun = { type: 'response.output_item.added', output_index: 0, item: { ...message, content: [] } }
  const words = { type: 'response.output_text.delta', output_index: 0, item_id: 'msg_1', delta: 'Hi.' }
  const events = [begun, words, { ...done('a', '{"x":1}'), output_index: 1 }, ended()]
  expect((await foldMessage(reply(events))).content).toMatchObject([{ text: 'Hi.' }, { id: 'a', input: { x: 1 } }])
})

test('What is odd about a call is noted', async () => {
  const { notes, trace } = noting()
  const { content } = await foldMessage(reply([done('a', 'no'), ended()], {}, trace))
  expect(content).toMatchObject([{ id: 'a', name: 'f', input: { INVALID_JSON: 'no' } }])
  expect(notes).toEqual([expect.stringContaining(' f are no JSON object')])
})

const nameless = { type: 'function_call', id: 'fc_n', call_id: 'n', arguments: 'no' }
test.each([
  ['begun', [{ type: 'response.output_item.added', output_index: 1, item: nameless }, said, ended()]],
  ['whole', [{ type: 'response.output_item.done', item: nameless }, { ...said, output_index: 1 }, ended()]],
  ['in the last event', [said, ended(message, nameless)]],
])('A call without a name is left out and noted once: %s', async (_where, events) => {
  const { notes, trace } = noting()
  expect(await foldMessage(reply(events, {}, trace))).toMatchObject({
    content: [{ text: 'Hi.' }],
    stop_reason: 'end_turn',
  })
  expect(notes).toEqual([expect.stringContaining('without a name')])
})

/** What is noted of calls. */
function noting() {
  const notes: string[] = []
  const note = (text: string) => void (text.includes(' call') && notes.push(text))
  return { notes, trace: { note, answered: () => {} } }
}

test('A piece of arguments without its call adds nothing to the one that is open', async () => {
  const stray = { ...grown('a', '{"x":'), output_index: 3 }
  const { content } = await foldMessage(
    reply([{ ...added('b'), output_index: 0 }, stray, { ...done('b', '{"y":2}'), output_index: 0 }, ended()]),
  )
  expect(content).toMatchObject([{ id: 'b', input: { y: 2 } }])
})

test('Messages without places are told apart by their ids', async () => {
  const begun = { type: 'response.output_item.added', item: { ...message, content: [] } }
  const words = { type: 'response.output_text.delta', item_id: 'msg_1', delta: 'Hi.' }
  const other = { ...message, id: 'msg_2', content: [{ type: 'output_text', text: 'Bye.' }] }
  const whole = { type: 'response.output_item.done', item: other }
  expect((await foldMessage(reply([begun, words, whole, ended()]))).content).toEqual([
    { type: 'text', text: 'Hi.' },
    { type: 'text', text: 'Bye.' },
  ])
})

test('A text whose item was never sent ends where a call begins', () => {
  const parser = new ResponseParser({
    ...{ sign: () => '', wantsThoughts: false, toolName: (name: string) => name, stopSequences: [], note: () => {} },
    ...{ offered: new Map(), omitsThoughts: false, waits: false, onPhase: () => {} },
    calls: new CallIds({ messages: [] }, () => '1'),
  })
  const read = (event: object) => Array.from(parser.read(toEvent(JSON.stringify(event))), ({ type }) => type)
  const words = { type: 'response.output_text.delta', output_index: 0, delta: 'Hi.' }
  expect(read(words)).toEqual(['content_block_start', 'content_block_delta'])
  expect(read({ ...added('a'), output_index: 1 })).toEqual(['content_block_stop', 'content_block_start'])
})

test('A reply with an item needs no last event, and one without items is none', async () => {
  expect((await foldMessage(reply([said, '[DONE]']))).content).toEqual([{ type: 'text', text: 'Hi.' }])
  expect((await foldMessage(reply([added('a'), '[DONE]']))).content).toMatchObject([{ id: 'a', input: {} }])
  await expect(foldMessage(reply(['[DONE]']))).rejects.toMatchObject({ status: 502 })
})

test('A text that ends like the beginning of a stop sequence is whole, and one that ends at it is cut there', async () => {
  const stops = { stop_sequences: ['END'] }
  const words = (delta: string) => ({ type: 'response.output_text.delta', output_index: 0, item_id: 'msg_1', delta })
  const call = { ...done('a', '{}'), output_index: 1 }
  expect((await foldMessage(reply([words('Hi. E'), call, ended()], stops))).content).toMatchObject([
    { text: 'Hi. E' },
    { id: 'a' },
  ])
  expect(await foldMessage(reply([words('Hi. E'), words('ND it'), words(' is'), call, ended()], stops))).toMatchObject({
    ...{ content: [{ type: 'text', text: 'Hi. ' }], stop_reason: 'stop_sequence', stop_sequence: 'END' },
  })
})

test('Arguments that differ from those that were streamed are not put behind them', async () => {
  const { content } = await foldMessage(
    reply([added('a'), grown('a', '{"x":1}'), done('a', '{"x":12,"y":3}'), ended()]),
  )
  expect(content).toMatchObject([{ id: 'a', input: { x: 1 } }])
  const cut = { type: 'response.incomplete', response: { incomplete_details: { reason: 'max_output_tokens' } } }
  const part = [added('a'), grown('a', '{"x":1'), done('a', '{"z": 2}'), cut]
  const deltas = (await Array.fromAsync(reply(part))).flatMap((event) => ('delta' in event ? [event.delta] : []))
  expect(deltas).toMatchObject([{ partial_json: '{"x":1' }, { stop_reason: 'max_tokens' }])
})

test('A refusal is one wherever it stands, and an item without content is none', async () => {
  const refusal = { type: 'message', content: [{ type: 'refusal', refusal: 'No.' }] }
  expect(await foldMessage(reply([{ ...said, item: refusal }, ended()]))).toMatchObject({
    ...{ content: [{ text: 'No.' }], stop_reason: 'refusal' },
  })
  const words = { type: 'response.output_text.delta', output_index: 0, item_id: 'msg_1', delta: 'Hi.' }
  expect(await foldMessage(reply([words, { ...said, item: { type: 'message', id: 'msg_1' } }, ended()]))).toMatchObject(
    { content: [{ text: 'Hi.' }], stop_reason: 'end_turn' },
  )
})

test('What is no event of a reply ends it, and the error tells how it begins', async () => {
  const failure = foldMessage(reply([{ hello: 'x'.repeat(200) }]))
  const message = `The provider sent what is no event of a reply: {"hello":"${'x'.repeat(90)}`
  await expect(failure).rejects.toMatchObject({ status: 502, message })
})

test('Thoughts and texts that come in turn without their items and places are as many blocks', async () => {
  const thought = (delta: string) => ({ type: 'response.reasoning_summary_text.delta', delta })
  const words = (delta: string) => ({ type: 'response.output_text.delta', delta })
  const events = [thought('A'), words('B'), thought('C'), words('D'), ended()]
  expect((await foldMessage(reply(events, thinking))).content).toMatchObject([
    ...[{ thinking: 'A' }, { text: 'B' }, { thinking: 'C' }, { text: 'D' }],
  ])
})

test('Calls that only the last event has are all made, where a text has their place', async () => {
  const { content } = await foldMessage(reply([said, ended(call('a', '{"x":1}'), call('b', '{"y":2}'))]))
  expect(content).toMatchObject([{ text: 'Hi.' }, ...both])
})

test('A piece of arguments without its call is left out, and costs nothing', async () => {
  const piece = { ...grown('a', `{"x":"${'x'.repeat(1000)}"}`), output_index: 3 }
  const { content, usage } = await foldMessage(reply([piece, said, ended()]))
  expect(content).toEqual([{ type: 'text', text: 'Hi.' }])
  expect(usage.output_tokens).toBeLessThan(10)
})

const thinking = { thinking: { type: 'enabled', budget_tokens: 2000 } }

function reply(events: readonly (object | '[DONE]')[], more: object = {}, trace?: UpstreamTrace) {
  const text = events.map((event) => frameOf(event === '[DONE]' ? event : { ...event })).join('')
  const upstream = responsesUpstream({
    name: 'x',
    baseUrl: 'http://provider.example/v1',
    fetch: async () => streamOf(text),
  })
  const request = { model: 'm', messages: [{ role: 'user' as const, content: 'hi' }], ...more }
  return upstream.send(request, { signal: new AbortController().signal, trace })
}

const begun = { type: 'response.output_item.added', output_index: 0, item: { type: 'message', id: 'm', content: [] } }
const half = { type: 'response.output_text.delta', output_index: 0, item_id: 'm', delta: 'Half' }

/** What is made of a stream of these events. */
function replyTo(events: readonly object[]) {
  const frames = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
  const upstream = responsesUpstream({ name: 'x', baseUrl: 'http://a.example/v1', fetch: async () => streamOf(frames) })
  const request = { model: 'm', messages: [{ role: 'user' as const, content: 'hi' }] }
  return foldMessage(upstream.send(request, { signal: new AbortController().signal }))
}

test('A text that comes with its end alone is read, once', async () => {
  const whole = { type: 'response.output_text.done', output_index: 0, content_index: 0, item_id: 'm', text: 'Half' }
  for (const events of [
    [begun, whole, ended()],
    [begun, half, whole, ended()],
  ])
    expect((await replyTo(events)).content).toEqual([{ type: 'text', text: 'Half' }])
})

test.each([
  [{ error: { message: 'boom', code: 'server_error' } }, 500],
  [{ code: 429, message: 'Later.' }, 429],
  [
    {
      type: 'response.incomplete',
      response: { status: 'incomplete', incomplete_details: { reason: 'network_error' } },
    },
    502,
  ],
])('An error without the form of one ends the reply: %j', async (event, status) => {
  await expect(replyTo([begun, half, event])).rejects.toMatchObject({ status })
})

test.each([
  ['max_output_tokens', 'max_tokens'],
  ['content_filter', 'refusal'],
  ['model_context_window_exceeded', 'model_context_window_exceeded'],
  ['a new word', 'max_tokens'],
])('A reply that is incomplete by %s ends by %s', async (reason, expected) => {
  const cut = { type: 'response.incomplete', response: { status: 'incomplete', incomplete_details: { reason } } }
  expect((await replyTo([begun, half, cut])).stop_reason as string).toBe(expected)
})

test('A file that has an address is sent by it', async () => {
  let sent: unknown
  const fetch = async (_: string, { body }: RequestInit) => {
    sent = JSON.parse(String(body))
    return streamOf(frameOf(said) + frameOf(ended()))
  }
  const upstream = responsesUpstream({ name: 'x', baseUrl: 'http://a.example/v1', fetch })
  const content = [{ type: 'document', source: { type: 'url', url: 'https://a.example/x.pdf' } }]
  const request = { model: 'm', messages: [{ role: 'user' as const, content }] }
  await foldMessage(upstream.send(request, { signal: new AbortController().signal }))
  const file = { type: 'input_file', file_url: 'https://a.example/x.pdf' }
  expect(sent).toMatchObject({ input: [{ role: 'user', content: [file] }] })
})
