import { expect, test } from 'bun:test'
import { foldMessage } from '@csp/messages-api/fold'
import { responsesUpstream } from '../../src/responses/responses.ts'
import { streamOf } from '../support/provider-stream.ts'
import { frameOf } from '../support/strict-provider.ts'

// What other adapters check of replies by the Responses API: events in, a message out. `foldMessage` needs them in order.

type Events = readonly Readonly<Record<string, unknown>>[]
type Row = readonly [name: string, events: Events, expected: object]

const event = (type: string, fields: object = {}) => ({ type: `response.${type}`, ...fields })
const added = (item: object, place?: number) =>
  event('output_item.added', { item, ...(place !== undefined && { output_index: place }) })
const done = (item: object, place?: number) =>
  event('output_item.done', { item, ...(place !== undefined && { output_index: place }) })
const summary = (delta: string, more: object = {}) => event('reasoning_summary_text.delta', { delta, ...more })
const said = (delta: string, more: object = {}) => event('output_text.delta', { delta, ...more })
const reasoning = (fields: object = {}) => ({ type: 'reasoning', ...fields })
const call = (call_id?: string, name?: string, args?: string) => ({
  type: 'function_call',
  ...(call_id && { call_id }),
  ...(name && { name }),
  ...(args && { arguments: args }),
})
const grown = (delta: string, output_index: number) => event('function_call_arguments.delta', { delta, output_index })
const whole = (args: string, output_index: number) =>
  event('function_call_arguments.done', { arguments: args, output_index })
const completed = (output: readonly object[] = [], more: object = {}) =>
  event('completed', {
    response: { status: 'completed', output, usage: { input_tokens: 1, output_tokens: 1 }, ...more },
  })
const created = event('created', { response: { id: 'resp_1', status: 'in_progress', output: [] } })
const part = event('reasoning_summary_part.added')
const message = (text: string) => ({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] })

const text = (words: string) => ({ type: 'text', text: words })
const use = (id: string, name: string, input: object) => ({ type: 'tool_use', id, name, input })
const signed = (words: string, sealed: string) => ({
  type: 'thinking',
  thinking: words,
  signature: expect.stringContaining(`"encrypted":"${sealed}"`),
})
const [a, b] = ['{"file_path":"a"}', '{"file_path":"b"}'] as const
const both = [use('call_a', 'Read', { file_path: 'a' }), use('call_b', 'Read', { file_path: 'b' })]

const rows: Readonly<Record<string, readonly Row[]>> = {
  CLIProxyAPI: [
    [
      'a thought that begins without its item',
      [created, part, summary('Let me think'), done(reasoning({ encrypted_content: 'enc_1' })), completed()],
      { content: [signed('Let me think', 'enc_1')] },
    ],
    [
      'a thought without anything encrypted',
      [part, summary('Let me think'), completed()],
      { content: [{ type: 'thinking', thinking: 'Let me think' }] },
    ],
    [
      'a thought of several parts, sealed anew at its end',
      [
        added(reasoning({ id: 'rs_1', encrypted_content: 'enc_before' })),
        part,
        summary('Part A', { summary_index: 0 }),
        part,
        summary('Part B', { summary_index: 1 }),
        done(reasoning({ id: 'rs_1', encrypted_content: 'enc_final' })),
        completed(),
      ],
      { content: [signed('Part A\n\nPart B', 'enc_final')] },
    ],
    [
      'a thought that is not sealed again: what was sealed before it is another',
      [added(reasoning({ encrypted_content: 'enc_early' })), part, summary('Hm'), done(reasoning()), completed()],
      { content: [{ thinking: 'Hm', signature: expect.not.stringContaining('enc_early') }] },
    ],
    [
      'two thoughts',
      [
        added(reasoning({ encrypted_content: 'pre_1' }), 0),
        summary('First', { output_index: 0 }),
        done(reasoning({ encrypted_content: 'final_1' }), 0),
        added(reasoning({ encrypted_content: 'pre_2' }), 1),
        summary('Second', { output_index: 1 }),
        done(reasoning({ encrypted_content: 'final_2' }), 1),
        completed(),
      ],
      { content: [signed('First', 'final_1'), signed('Second', 'final_2')] },
    ],
    [
      'two thoughts without places',
      [
        added(reasoning({ encrypted_content: 'pre_1' })),
        summary('First'),
        done(reasoning({ encrypted_content: 'final_1' })),
        added(reasoning({ encrypted_content: 'pre_2' })),
        summary('Second'),
        done(reasoning({ encrypted_content: 'final_2' })),
        completed(),
      ],
      { content: [signed('First', 'final_1'), signed('Second', 'final_2')] },
    ],
    [
      'two calls that grow at once',
      [
        created,
        added(call('call_a', 'Read'), 1),
        added(call('call_b', 'Read'), 2),
        grown(a, 1),
        grown(b, 2),
        whole(a, 1),
        done(call('call_a', 'Read', a), 1),
        whole(b, 2),
        done(call('call_b', 'Read', b), 2),
        completed(),
      ],
      { content: both, stop_reason: 'tool_use' },
    ],
    [
      'two calls, the second of which ends first',
      [
        added(call('call_a', 'Read'), 1),
        added(call('call_b', 'Read'), 2),
        grown(b, 2),
        done(call('call_b', 'Read', b), 2),
        grown(a, 1),
        done(call('call_a', 'Read', a), 1),
        completed(),
      ],
      { content: both, stop_reason: 'tool_use' },
    ],
    [
      'a text that comes while a call is open',
      [
        added(call('call_a', 'Read'), 0),
        added({ type: 'message' }, 1),
        said('done', { output_index: 1 }),
        done({ type: 'message' }, 1),
        done(call('call_a', 'Read', a), 0),
        completed(),
      ],
      { content: [use('call_a', 'Read', { file_path: 'a' }), text('done')] },
    ],
    [
      'a text and a thought that come while a call is open',
      [
        added(call('call_a', 'Read'), 0),
        said('answer', { output_index: 1 }),
        added(reasoning({ encrypted_content: 'enc' }), 2),
        summary('thought', { output_index: 2 }),
        done(reasoning({ encrypted_content: 'enc' }), 2),
        done(call('call_a', 'Read', a), 0),
        completed(),
      ],
      { content: [use('call_a', 'Read', { file_path: 'a' }), text('answer'), signed('thought', 'enc')] },
    ],
    [
      'a call whose name comes at its end',
      [added(call('call_1'), 1), whole('{"q":"x"}', 1), done(call('call_1', 'f', '{"q":"x"}'), 1), completed()],
      { content: [use('call_1', 'f', { q: 'x' })], stop_reason: 'tool_use' },
    ],
    [
      'calls whose ends say no place',
      [
        added(call('call_1'), 1),
        added(call('call_2'), 2),
        done(call('call_1', 'f', '{"id":1}')),
        done(call('call_2', 'f', '{"id":2}')),
        completed(),
      ],
      { content: [use('call_1', 'f', { id: 1 }), use('call_2', 'f', { id: 2 })] },
    ],
    [
      'arguments that stand at the end of the reply only',
      [added(call('call_1', 'f'), 1), completed([call('call_1', 'f', '{"q":"x"}')])],
      { content: [use('call_1', 'f', { q: 'x' })], stop_reason: 'tool_use' },
    ],
    [
      'a name that stands at the end of the reply only',
      [added(call('call_1'), 1), whole('{"q":"x"}', 1), completed([call('call_1', 'f', '{"q":"x"}')])],
      { content: [use('call_1', 'f', { q: 'x' })], stop_reason: 'tool_use' },
    ],
    [
      'two calls, half streamed, whole at the end of the reply',
      [
        added(call('call_a', 'Read'), 0),
        added(call('call_b', 'Read'), 1),
        grown('{"file_path":', 0),
        completed([call('call_a', 'Read', a), call('call_b', 'Read', b)]),
      ],
      { content: both },
    ],
    [
      'two calls without ids, whole at the end of the reply',
      [
        added(call(undefined, 'Read'), 0),
        added(call(undefined, 'Read'), 1),
        completed([call(undefined, 'Read', a), call(undefined, 'Read', b)]),
      ],
      { content: both.map(({ id: _, ...block }) => block) },
    ],
    [
      'a call that never gets a name',
      [added(call('call_1'), 1), completed()],
      { content: [], stop_reason: 'end_turn' },
    ],
    [
      'a text that comes whole',
      [created, done(message('ok'), 0), completed()],
      { content: [text('ok')], stop_reason: 'end_turn' },
    ],
  ],
  LiteLLM: [
    [
      'a text without its item',
      [event('created'), said('Hel', { item_id: 'i1' }), said('lo', { item_id: 'i1' }), completed()],
      { content: [text('Hello')] },
    ],
    ['a text without anything', [said('Hi'), completed()], { content: [text('Hi')] }],
    [
      'a text without its item behind a thought',
      [
        added(reasoning({ id: 'rs_1' })),
        summary('hm', { item_id: 'rs_1' }),
        said('Hi', { item_id: 'm1' }),
        completed(),
      ],
      { content: [{ type: 'thinking', thinking: 'hm' }, text('Hi')] },
    ],
    [
      'a thought without words, which the vendor would refuse in the next turn',
      [
        added(reasoning({ id: 'rs_1' })),
        summary('', { item_id: 'rs_1' }),
        done(reasoning({ id: 'rs_1' })),
        added({ type: 'message', id: 'm1' }),
        said('Hello', { item_id: 'm1' }),
        done({ type: 'message', id: 'm1' }),
        completed(),
      ],
      { content: [text('Hello')] },
    ],
    [
      'the end of a message that never began, behind a call',
      [
        added({ ...call('call_1', 'f'), id: 'call_1' }),
        event('function_call_arguments.delta', { item_id: 'call_1', delta: '{"city":"Tokyo"}' }),
        done({ ...call('call_1', 'f'), id: 'call_1' }),
        done({ type: 'message', id: 'chatcmpl-1' }),
        completed(),
      ],
      { content: [use('call_1', 'f', { city: 'Tokyo' })] },
    ],
    [
      'cached and kept tokens',
      [
        done(message('ok'), 0),
        completed([], {
          usage: {
            input_tokens: 4017,
            input_tokens_details: { cached_tokens: 4004, cache_write_tokens: 10 },
            output_tokens: 5,
          },
        }),
      ],
      {
        usage: { input_tokens: 3, output_tokens: 5, cache_creation_input_tokens: 10, cache_read_input_tokens: 4004 },
      },
    ],
    [
      'a refusal',
      [
        added({ type: 'message', id: 'm1' }),
        event('refusal.delta', { item_id: 'm1', delta: 'I cannot.' }),
        done({ type: 'message', id: 'm1' }),
        completed([{ type: 'message', id: 'm1', content: [{ type: 'refusal', refusal: 'I cannot.' }] }]),
      ],
      { content: [text('I cannot.')], stop_reason: 'refusal' },
    ],
    [
      'a refusal that the limit cut',
      [
        event('incomplete', {
          response: {
            status: 'incomplete',
            incomplete_details: { reason: 'max_output_tokens' },
            output: [{ type: 'message', content: [{ type: 'refusal', refusal: 'I can' }] }],
          },
        }),
      ],
      { stop_reason: 'max_tokens' },
    ],
  ],
}

const messageFrom = (events: Events) => {
  const upstream = responsesUpstream({
    name: 'x',
    baseUrl: 'http://provider.example/v1',
    fetch: async () => streamOf(events.map(frameOf).join('')),
  })
  const request = {
    model: 'm',
    thinking: { type: 'adaptive' },
    messages: [{ role: 'user' as const, content: 'hi' }],
  }
  return foldMessage(upstream.send(request, { signal: new AbortController().signal }))
}

for (const [peer, cases] of Object.entries(rows)) {
  test.each([...cases])(`${peer}: %s`, async (_name, events, expected) => {
    const { content, ...rest } = await messageFrom(events)
    expect({ content, ...rest }).toMatchObject(expected)
  })
}

test.each([
  ['CLIProxyAPI: a flagged request', { type: 'invalid_request', code: 'cyber_policy', message: 'Flagged.' }, 400],
  ['LiteLLM: an overload', { type: 'overloaded_error', message: 'Busy.' }, 529],
  ['LiteLLM: a limit', { type: 'rate_limit_error', message: 'Slow.' }, 429],
  ['LiteLLM: a failure', { type: 'server_error', code: 'server_error', message: 'Broken.' }, 500],
])('%s within the stream keeps its kind', async (_name, error, status) => {
  await expect(messageFrom([created, { type: 'error', error }])).rejects.toMatchObject({ status })
})
