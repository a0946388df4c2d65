import { expect, test } from 'bun:test'
import { exchange } from '../support/provider-stream.ts'
import { chunk, type Piece, toolChunk } from '../support/strict-provider.ts'

// What other adapters check of replies by chat completions: chunks in, a message out. `exchange` also checks that the events
// fold to it. Where csp decides otherwise, docs/gateway.md says why.

type Chunks = readonly Exclude<Piece, 'hang'>[]
type Row = readonly [name: string, chunks: Chunks, expected: object]

const text = (words: string) => ({ type: 'text', text: words })
const thinking = (words: string) => ({ type: 'thinking', thinking: words })
const use = (id: string, name: string, input: object) => ({ type: 'tool_use', id, name, input })
const usage = (counts: object) => ({ choices: [], usage: counts })
const whole = (message: object, finish_reason = 'stop') => ({ choices: [{ index: 0, message, finish_reason }] })
const finished = chunk({}, 'tool_calls')
const stopped = chunk({}, 'stop')
const callOf = (name: unknown, args: unknown = '', id?: string, index = 0) =>
  chunk({ tool_calls: [{ index, ...(id !== undefined && { id }), function: { name, arguments: args } }] })
const bundled = (content: string) => [
  chunk({ role: 'assistant' }),
  chunk({ reasoning: 'Let me start.' }),
  chunk({ content, tool_calls: [{ index: 0, id: 'call_1', function: { name: 'Agent', arguments: '{"d":"x"}' } }] }),
  finished,
]
const agent = use('call_1', 'Agent', { d: 'x' })

const rows: Readonly<Record<string, readonly Row[]>> = {
  vLLM: [
    ...['\n', '', '   ', '\n\n'].map(
      (blank): Row => [
        `a call in one chunk with ${JSON.stringify(blank)}`,
        bundled(blank),
        { content: [thinking('Let me start.'), agent], stop_reason: 'tool_use' },
      ],
    ),
    [
      'a call in one chunk with a text',
      bundled('Sure. '),
      { content: [thinking('Let me start.'), text('Sure. '), agent], stop_reason: 'tool_use' },
    ],
    [
      'a text in pieces',
      [chunk({ role: 'assistant' }), chunk({ content: 'Hello ' }), chunk({ content: 'world' }), stopped],
      { content: [text('Hello world')], stop_reason: 'end_turn', stop_sequence: null },
    ],
    [
      'an empty text before the text',
      [chunk({ content: '' }), chunk({ content: 'real' }), stopped],
      { content: [text('real')] },
    ],
    [
      'the rest of the arguments in one chunk with a text',
      [
        toolChunk(0, { id: 'call_a', name: 'read', json: '' }),
        toolChunk(0, { json: '{"path":"/tmp/f"' }),
        chunk({ content: '\nOkay', tool_calls: [{ index: 0, function: { arguments: '}' } }] }),
        finished,
      ],
      { content: [use('call_a', 'read', { path: '/tmp/f' }), text('\nOkay')], stop_reason: 'tool_use' },
    ],
    [
      'a text in the chunk that finishes',
      [toolChunk(0, { id: 'a', name: 'f', json: '{"c":"NYC"}' }), chunk({ content: '\nDone' }, 'tool_calls')],
      { content: [use('a', 'f', { c: 'NYC' }), text('\nDone')] },
    ],
    [
      'cached and kept tokens',
      [
        chunk({ content: 'hi' }, 'stop'),
        usage({
          prompt_tokens: 100,
          completion_tokens: 10,
          prompt_tokens_details: { cached_tokens: 80, created_cache_tokens: 10 },
        }),
      ],
      {
        usage: { input_tokens: 10, output_tokens: 10, cache_read_input_tokens: 80, cache_creation_input_tokens: 10 },
      },
    ],
    [
      'a prompt that is all cached',
      [
        chunk({ content: 'hi' }, 'stop'),
        usage({ prompt_tokens: 100, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 100 } }),
      ],
      { usage: { input_tokens: 0, cache_read_input_tokens: 100 } },
    ],
  ],
  Ollama: [
    [
      'a whole reply',
      [{ ...whole({ content: 'Hello there!' }), usage: { prompt_tokens: 10, completion_tokens: 5 } }],
      {
        type: 'message',
        role: 'assistant',
        content: [text('Hello there!')],
        stop_reason: 'end_turn',
        usage: { input_tokens: 10, output_tokens: 5 },
      },
    ],
    [
      'a call that ends with stop',
      [whole({ tool_calls: [{ id: 'call_1', function: { name: 'f', arguments: '{"a":1}' } }] })],
      { content: [use('call_1', 'f', { a: 1 })], stop_reason: 'tool_use' },
    ],
    ['the end length', [chunk({ content: 'a' }, 'length')], { stop_reason: 'max_tokens' }],
    [
      'a thought with a call behind it',
      [chunk({ reasoning: 'Ask.' }), toolChunk(0, { id: 'call_1', name: 'ask', json: '{"q":"?"}' }), stopped],
      { content: [thinking('Ask.'), use('call_1', 'ask', { q: '?' })], stop_reason: 'tool_use' },
    ],
    [
      'a text before the thought',
      [chunk({ content: '---\n' }), chunk({ reasoning: 'Hm.' }), chunk({ content: 'It is.' }), stopped],
      { content: [text('---\n'), thinking('Hm.'), text('It is.')] },
    ],
    [
      'arguments that are an object',
      [toolChunk(0, { id: 'a', name: 'f', json: { city: 'Paris' } }), stopped],
      { content: [use('a', 'f', { city: 'Paris' })] },
    ],
  ],
  LiteLLM: [
    [
      'no arguments',
      [whole({ tool_calls: [{ id: 'call_1', function: { name: 'f', arguments: '' } }] }, 'tool_calls')],
      { content: [use('call_1', 'f', {})] },
    ],
    [
      'a whole reply of a text and a call',
      [
        whole(
          { content: 'Calling.', tool_calls: [{ id: 'call_1', function: { name: 'f', arguments: '{"a":1}' } }] },
          'tool_calls',
        ),
      ],
      { content: [text('Calling.'), use('call_1', 'f', { a: 1 })], stop_reason: 'tool_use' },
    ],
    [
      'a whole reply of a thought and a text',
      [whole({ content: 'Three.', reasoning_content: 'Counting.' })],
      { content: [thinking('Counting.'), text('Three.')], stop_reason: 'end_turn' },
    ],
    [
      'a thought and a text in one chunk',
      [
        chunk({ reasoning_content: 'Let me think.' }),
        chunk({ reasoning_content: '\n', content: 'Hi there!' }),
        stopped,
      ],
      { content: [thinking('Let me think.\n'), text('Hi there!')] },
    ],
    [
      'a thought, a text and the end in one chunk',
      [chunk({ reasoning_content: 'hm', content: 'hi' }, 'stop')],
      { content: [thinking('hm'), text('hi')], stop_reason: 'end_turn' },
    ],
    [
      'an empty thought within the thought',
      [
        chunk({ reasoning_content: 'a' }),
        chunk({ reasoning_content: '' }),
        chunk({ reasoning_content: 'b' }),
        chunk({ content: 'c' }, 'stop'),
      ],
      { content: [thinking('ab'), text('c')] },
    ],
    [
      'a text that goes on behind a call',
      [
        chunk({ content: 'Let me check.' }),
        toolChunk(0, { id: 'call_1', name: 'f', json: '{"city":' }),
        toolChunk(0, { id: 'call_1', json: ' "NY"}' }),
        chunk({ content: 'Nice.' }),
        chunk({ content: ' Bye.' }),
        stopped,
      ],
      { content: [text('Let me check.'), use('call_1', 'f', { city: 'NY' }), text('Nice. Bye.')] },
    ],
    [
      'an empty text behind a call',
      [toolChunk(0, { id: 'a', name: 'f', json: '{}' }), chunk({ content: '' }), chunk({ content: 'real' }), stopped],
      { content: [use('a', 'f', {}), text('real')] },
    ],
    ['an empty list of calls', [chunk({ content: 'Hello', tool_calls: [] }), stopped], { content: [text('Hello')] }],
    [
      'chunks without choices',
      [{ choices: [] }, chunk({ content: 'Hello' }), { choices: [] }, stopped],
      { content: [text('Hello')] },
    ],
    [
      'usage behind the end',
      [
        chunk({ content: 'Two.' }),
        stopped,
        {
          ...chunk({}),
          usage: {
            prompt_tokens: 120,
            completion_tokens: 5,
            prompt_tokens_details: { cached_tokens: 30, cache_creation_tokens: 20 },
          },
        },
      ],
      { usage: { input_tokens: 70, output_tokens: 5, cache_read_input_tokens: 30, cache_creation_input_tokens: 20 } },
    ],
    [
      'usage in the names of the Messages API',
      [
        chunk({ content: 'Two.' }, 'stop'),
        usage({
          prompt_tokens: 120,
          completion_tokens: 5,
          cache_read_input_tokens: 30,
          cache_creation_input_tokens: 20,
        }),
      ],
      { usage: { input_tokens: 70, cache_read_input_tokens: 30, cache_creation_input_tokens: 20 } },
    ],
    [
      'usage that is no number',
      [
        chunk({ content: 'Two.' }, 'stop'),
        usage({ prompt_tokens: 120, completion_tokens: 5, cache_read_input_tokens: true }),
      ],
      { usage: { input_tokens: 120, cache_read_input_tokens: 0 } },
    ],
    ['a refusal', [chunk({ refusal: 'I cannot.' }), stopped], { content: [text('I cannot.')], stop_reason: 'refusal' }],
    [
      'a refusal in the chunk that finishes',
      [chunk({ refusal: 'I cannot.' }, 'stop')],
      { content: [text('I cannot.')], stop_reason: 'refusal' },
    ],
    ['a refusal that the limit cut', [chunk({ refusal: 'I can' }), chunk({}, 'length')], { stop_reason: 'max_tokens' }],
  ],
  CLIProxyAPI: [
    [
      'usage twice',
      [
        chunk({ content: 'hello' }),
        { ...stopped, usage: { prompt_tokens: 1, completion_tokens: 1 } },
        usage({ prompt_tokens: 1, completion_tokens: 1 }),
      ],
      { content: [text('hello')], usage: { input_tokens: 1, output_tokens: 1 } },
    ],
    [
      'a name that is null in later pieces',
      [callOf('read_file', '', 'call_1'), callOf(null, '{"path":"/tmp/a"}'), finished],
      { content: [use('call_1', 'read_file', { path: '/tmp/a' })] },
    ],
    [
      'a name that is repeated',
      [callOf('do_it', '', 'call_a'), callOf('do_it', '{"x"'), callOf('do_it', ':1}'), finished],
      { content: [use('call_a', 'do_it', { x: 1 })] },
    ],
    [
      'a call without a name',
      [callOf('', '', 'call_a'), callOf('', '{"x":1}'), finished],
      { content: [], stop_reason: 'end_turn' },
    ],
    ['a name that is null', [callOf(null, '', 'call_a'), finished], { content: [], stop_reason: 'end_turn' }],
    ['a name that is a number', [callOf(123, '', 'call_a'), finished], { content: [], stop_reason: 'end_turn' }],
    [
      'a call without a name beside one with a name',
      [callOf('', '', 'call_empty'), callOf('do_it', '{}', 'call_real', 1), finished],
      { content: [use('call_real', 'do_it', {})], stop_reason: 'tool_use' },
    ],
    [
      'an id that comes later',
      [callOf('do_it', '', ''), callOf(undefined, '{}', 'call_real'), finished],
      { content: [use('call_real', 'do_it', {})] },
    ],
    [
      'an id in a piece without a function',
      [
        callOf('do_it', undefined),
        chunk({ tool_calls: [{ index: 0, id: 'call_real' }] }),
        callOf(undefined, '{}'),
        finished,
      ],
      { content: [use('call_real', 'do_it', {})] },
    ],
    [
      'an id that never comes',
      [callOf('do_it'), callOf(undefined, '{}'), finished],
      { content: [{ ...use('', 'do_it', {}), id: expect.stringMatching(/^toolu_/) }], stop_reason: 'tool_use' },
    ],
    [
      'an id behind the end',
      [
        callOf('do_it'),
        { ...finished, usage: { prompt_tokens: 1 } },
        chunk({ tool_calls: [{ index: 0, id: 'call_late' }] }),
      ],
      { content: [{ type: 'tool_use', name: 'do_it' }], stop_reason: 'tool_use' },
    ],
  ],
}

for (const [peer, cases] of Object.entries(rows)) {
  test.each([...cases])(`${peer}: %s`, async (_name, chunks, expected) => {
    const { message, events } = await exchange(chunks)
    expect(message).toMatchObject(expected)
    expect(events.filter(({ type }) => type === 'message_delta')).toHaveLength(1)
    expect(events.at(-1)?.type).toBe('message_stop')
  })
}

test('vLLM, llama.cpp: the start of a message has its type, its role, no content, and counts', async () => {
  const { events } = await exchange([chunk({ content: 'Hello' }, 'stop')])
  expect(events[0]).toMatchObject({
    type: 'message_start',
    message: { type: 'message', role: 'assistant', content: [], usage: { input_tokens: expect.any(Number) } },
  })
})

test('Ollama: each block begins with its empty fields', async () => {
  const { events } = await exchange([
    chunk({ reasoning: 'hm' }),
    chunk({ content: 'a' }),
    toolChunk(0, { id: 'a', name: 'f', json: '{}' }),
    finished,
  ])
  const starts = events.flatMap((event) => (event.type === 'content_block_start' ? [event] : []))
  expect(starts).toEqual([
    { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
    { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
    { type: 'content_block_start', index: 2, content_block: { type: 'tool_use', id: 'a', name: 'f', input: {} } },
  ])
})

test('llama.cpp: a thought is signed before its block ends', async () => {
  const { message } = await exchange([chunk({ reasoning_content: 'hm' }), chunk({ content: 'a' }, 'stop')])
  expect(message.content[0]).toMatchObject({ type: 'thinking', signature: expect.stringMatching(/./) })
})

test.each([
  ['functions.Bash:0', /^[\w-]+$/],
  ['call_3e94__thought__CiIB+/a==', /^[\w-]+$/],
])('LiteLLM: the id %s of a call reaches the client in letters that it takes', async (id, form) => {
  const { message } = await exchange([toolChunk(0, { id, name: 'Bash', json: '{}' }), finished])
  expect(message.content[0]?.['id']).toMatch(form)
})
