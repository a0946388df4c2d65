import { expect, test } from 'bun:test'
import type { Message } from '@csp/messages-api/events'
import { foldMessage } from '@csp/messages-api/fold'
import type { MessagesRequest } from '@csp/messages-api/request'
import { responsesUpstream } from '../../src/responses/responses.ts'
import { claudeCodeRequest } from '../support/claude-code-request.ts'
import type { ModelTurn } from '../support/responses-events.ts'
import { openAiError } from '../support/strict-provider.ts'
import { type SentBody, type StrictResponses, serveResponses } from '../support/strict-responses.ts'

// Without a temperature, which a model that reasons refuses.
const { temperature: _, ...first } = claudeCodeRequest

const twoCalls: ModelTurn = {
  thoughts: ['Let me look.', 'At two things.'],
  text: 'I will look.',
  calls: [
    { id: 'call_a', name: 'Bash', json: '{"command":"ls -1"}' },
    { id: 'call_b', name: 'Bash', json: '{"command":"pwd"}' },
  ],
}

/** Calls two tools on a fresh turn, and answers when it has their results. */
function play({ input }: SentBody): ModelTurn {
  const last = input.at(-1)
  return last?.type === 'function_call_output' ? { thoughts: [], text: `There is ${last.output}.` } : twoCalls
}

function send(server: StrictResponses, request: MessagesRequest, model = 'gpt-5'): Promise<Message> {
  const upstream = responsesUpstream({ name: 'openai', baseUrl: server.url })
  return foldMessage(upstream.send(request, { signal: new AbortController().signal, model }))
}

function after({ content }: Message, ...said: MessagesRequest['messages']): MessagesRequest {
  return { ...first, messages: [...first.messages, { role: 'assistant', content: [...content] }, ...said] }
}

const results: MessagesRequest['messages'][number] = {
  role: 'user',
  content: [
    { type: 'tool_result', tool_use_id: 'call_a', content: 'a.txt' },
    { type: 'tool_result', tool_use_id: 'call_b', content: [{ type: 'text', text: '/home' }], is_error: false },
  ],
}

test('An agent thinks, calls two tools, gets their results and answers', async () => {
  await using server = serveResponses({ reply: play })
  const called = await send(server, first)
  expect(called).toMatchObject({
    model: 'claude-sonnet-5-5',
    stop_reason: 'tool_use',
    content: [
      { type: 'thinking', thinking: 'Let me look.\n\nAt two things.' },
      { type: 'text', text: 'I will look.' },
      { type: 'tool_use', id: 'call_a', name: 'Bash', input: { command: 'ls -1' } },
      { type: 'tool_use', id: 'call_b', name: 'Bash', input: { command: 'pwd' } },
    ],
  })
  expect(called.usage).toMatchObject({
    input_tokens: 12,
    cache_read_input_tokens: 8,
    output_tokens: 5,
    output_tokens_details: { thinking_tokens: 2 },
  })
  const answered = await send(server, after(called, results))
  expect(answered).toMatchObject({ stop_reason: 'end_turn' })
  // A thought without a summary is all encrypted: its block has a signature alone.
  expect(answered.content).toMatchObject([{ type: 'thinking', thinking: '' }, { text: 'There is /home.' }])
})

test('OpenAI gets its parameters, stores nothing, and finds its cache of the prompt', async () => {
  await using server = serveResponses({ reply: play })
  const called = await send(server, first)
  await send(server, after(called, results))
  const [before, next] = server.bodies
  expect(before).toMatchObject({
    model: 'gpt-5',
    instructions: 'You are Claude Code.',
    stream: true,
    store: false,
    include: ['reasoning.encrypted_content'],
    reasoning: { effort: 'high', summary: 'auto' },
    max_output_tokens: 32_000,
  })
  expect(before?.prompt_cache_key).toMatch(/^[\da-f]{32}$/)
  expect(JSON.stringify(server.bodies)).not.toMatch(/cch=|cache_control|user_1|reasoning_effort|max_tokens/)
  expect(next?.prompt_cache_key).toBe(before?.prompt_cache_key ?? '')
  expect(JSON.stringify(next?.tools)).toBe(JSON.stringify(before?.tools))
  const prefix = JSON.stringify(before?.input).slice(0, -1)
  expect(JSON.stringify(next?.input).slice(0, prefix.length)).toBe(prefix)
})

test('A thought goes back in front of what it led to, to the same model only', async () => {
  await using server = serveResponses({ reply: play })
  const called = await send(server, first)
  await send(server, after(called, results))
  expect(server.bodies.at(-1)?.input.map(({ type }) => type)).toEqual([
    'message',
    'reasoning',
    'message',
    'function_call',
    'function_call',
    'function_call_output',
    'function_call_output',
  ])
  expect(server.bodies.at(-1)?.input[1]).toMatchObject({
    summary: [{ type: 'summary_text', text: 'Let me look.\n\nAt two things.' }],
  })
  await send(server, after(called, results), 'another-model')
  expect(server.bodies.at(-1)?.input.map(({ type }) => type)).not.toContain('reasoning')
})

test('A thought that nothing follows stays out: OpenAI would refuse it', async () => {
  await using server = serveResponses({ reply: () => ({ thoughts: ['Hm.'], incomplete: 'max_output_tokens' }) })
  const cut = await send(server, first)
  expect(cut).toMatchObject({ stop_reason: 'max_tokens', content: [{ type: 'thinking', thinking: 'Hm.' }] })
  await send(server, after(cut, { role: 'user', content: 'Go on.' }))
  expect(server.bodies.at(-1)?.input.map(({ type }) => type)).toEqual(['message', 'message'])
})

test('A thought that OpenAI cannot read any more is left out of this request, and the model keeps the others', async () => {
  await using server = serveResponses({ reply: play })
  const called = await send(server, first)
  const [thought, ...rest] = called.content
  const foreign = String(thought?.['signature']).replace('gAAA-', 'gAAA-of-another-key-')
  const broken = { ...called, content: [{ ...thought, type: 'thinking', signature: foreign }, ...rest] }
  expect(await send(server, after(broken, results))).toMatchObject({ stop_reason: 'end_turn' })
  await send(server, after(called, results))
  expect(server.bodies.map(({ input }) => input.some(({ type }) => type === 'reasoning'))).toEqual([
    false,
    true,
    false,
    true,
  ])
})

test('Results of tools keep their images and errors, and calls without a result get one', async () => {
  await using server = serveResponses({ reply: () => ({ text: 'Seen.' }) })
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }
  const call = (id: string) => ({ type: 'tool_use', id, name: 'Bash', input: {} })
  const message = await send(server, {
    ...first,
    messages: [
      ...first.messages,
      { role: 'assistant', content: [call('a'), call('b'), call('c')] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'b', content: 'no such file', is_error: true },
          { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'one' }, image] },
          { type: 'tool_result', tool_use_id: 'lost', content: 'of another time' },
          { type: 'text', text: 'What do you see?' },
        ],
      },
    ],
  })
  expect(message.content).toEqual([{ type: 'text', text: 'Seen.' }])
  expect(server.bodies[0]?.input.slice(4)).toEqual([
    {
      type: 'function_call_output',
      call_id: 'a',
      output: [
        { type: 'input_text', text: 'one' },
        { type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
      ],
    },
    { type: 'function_call_output', call_id: 'b', output: 'Error: no such file' },
    { type: 'function_call_output', call_id: 'c', output: 'No result.' },
    {
      type: 'message',
      role: 'user',
      content: [
        { type: 'input_text', text: '[Result of an earlier tool call]\nof another time' },
        { type: 'input_text', text: 'What do you see?' },
      ],
    },
  ])
})

test('Searches that ran within an earlier turn are plain calls with their results, between what the model wrote', async () => {
  await using server = serveResponses({ reply: () => ({ text: 'Yes.' }) })
  const page = { type: 'web_search_result', url: 'https://a.example/', title: 'A page', encrypted_content: 'x' }
  const content = [
    { type: 'text', text: 'I will search.' },
    { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'seals' } },
    { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [page] },
    { type: 'text', text: 'Seals ' },
    { type: 'text', text: 'bark.' },
  ]
  await send(server, {
    ...first,
    messages: [...first.messages, { role: 'assistant', content }, { role: 'user', content: 'Sure?' }],
  })
  expect(server.bodies[0]?.input.slice(1, -1)).toEqual([
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I will search.' }] },
    { type: 'function_call', call_id: 'srvtoolu_1', name: 'web_search', arguments: '{"query":"seals"}' },
    { type: 'function_call_output', call_id: 'srvtoolu_1', output: 'A page\nhttps://a.example/' },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Seals bark.' }] },
  ])
})

test.each([
  [{ type: 'auto' }, 'auto'],
  [{ type: 'any', disable_parallel_tool_use: true }, 'required'],
  [{ type: 'none' }, 'none'],
  [
    { type: 'tool', name: 'Bash' },
    { type: 'function', name: 'Bash' },
  ],
  [{ type: 'tool', name: 'Missing' }, 'auto'],
] as const)('The choice of tools %p is %p at OpenAI', async (tool_choice, expected) => {
  await using server = serveResponses({ reply: play })
  await send(server, { ...first, tool_choice })
  expect(server.bodies[0]?.tool_choice).toEqual(expected)
  expect(server.bodies[0]?.parallel_tool_calls).toBe('disable_parallel_tool_use' in tool_choice ? false : undefined)
})

test('A limit below the least that OpenAI takes is raised, and stop sequences end the reply here', async () => {
  await using server = serveResponses({ reply: () => ({ text: 'One, two, three.' }) })
  const message = await send(server, { ...first, max_tokens: 1, stop_sequences: ['two', 'never'] })
  expect(message).toMatchObject({
    content: [{ type: 'text', text: 'One, ' }],
    stop_reason: 'stop_sequence',
    stop_sequence: 'two',
  })
  expect(server.bodies[0]).toMatchObject({ max_output_tokens: 16 })
  expect(server.bodies[0]).not.toHaveProperty('stop')
})

test('A caller that wants no thoughts gets none', async () => {
  await using server = serveResponses({ reply: () => ({ thoughts: ['Hm.'], text: 'Yes.' }) })
  for (const thinking of [undefined, { type: 'disabled' }]) {
    const message = await send(server, { ...first, thinking })
    expect(message.content).toEqual([{ type: 'text', text: 'Yes.' }])
  }
  expect(server.bodies.map(({ reasoning }): unknown => reasoning)).toEqual([
    { effort: 'high' },
    { effort: 'none' },
    // The server takes `minimal` as its least.
    { effort: 'minimal' },
  ])
})

test.each([
  ['refuses', { refusal: 'I cannot.' }, 'refusal', 'I cannot.'],
  ['is filtered', { text: 'Well', incomplete: 'content_filter' as const }, 'refusal', 'Well'],
  ['is cut off', { text: 'Well', incomplete: 'max_output_tokens' as const }, 'max_tokens', 'Well'],
])('A reply that %s says so, and keeps its words', async (_name, turn, stop_reason, text) => {
  await using server = serveResponses({ reply: () => turn })
  expect(await send(server, first)).toMatchObject({ stop_reason, content: [{ type: 'text', text }] })
})

test('A model that does not reason, or an organisation that may not stream, is found out and remembered', async () => {
  const unsupported = (
    param: string,
    message = `Unsupported parameter: '${param}' is not supported with this model.`,
  ) => openAiError(400, message, { param, code: 'unsupported_parameter' })
  await using server = serveResponses({
    refuse: (body) => {
      const { effort, summary } = (body['reasoning'] ?? {}) as { effort?: string; summary?: string }
      if (effort) return unsupported('reasoning.effort')
      if (summary)
        return unsupported('reasoning.summary', 'Your organization must be verified to generate reasoning summaries.')
      if (body['include']) return unsupported('include', 'Encrypted content is not supported with this model.')
      if (body['stream']) return unsupported('stream', 'Your organization must be verified to stream this model.')
      return undefined
    },
    reply: () => twoCalls,
  })
  const upstream = responsesUpstream({ name: 'openai', baseUrl: server.url })
  const ask = () => foldMessage(upstream.send(first, { signal: new AbortController().signal, model: 'gpt-4o' }))
  const message = await ask()
  expect(message.content.map(({ type }) => type)).toEqual(['thinking', 'text', 'tool_use', 'tool_use'])
  expect(server.bodies).toHaveLength(5)
  await ask()
  expect(server.bodies).toHaveLength(6)
  expect(server.bodies.at(-1)).toMatchObject({ stream: false, store: false })
})

test.each([
  [200, 'gpt-5', 7, 'gpt-5'],
  [200, undefined, 7, first.model],
  [300, 'gpt-5', undefined, 'gpt-5'],
])('a count that is answered with %i, of the model %s', async (status, model, count, asked) => {
  const bodies: { readonly model: string }[] = []
  const fetch = async (_: unknown, init?: RequestInit) => {
    bodies.push(JSON.parse(String(init?.body)))
    return Response.json({ input_tokens: 7 }, { status })
  }
  const upstream = responsesUpstream({ name: 'openai', baseUrl: 'http://127.0.0.1:9/v1', fetch })
  const context = { signal: new AbortController().signal, ...(model && { model }) }
  expect(await upstream.countTokens?.(first, context)).toBe(count)
  expect(bodies.map((body) => body.model)).toEqual([asked])
})

test('OpenAI counts the tokens of a prompt itself; where it fails, there is no count', async () => {
  await using server = serveResponses({ key: 'right' })
  const context = { signal: new AbortController().signal, model: 'gpt-5' }
  const count = (key: string) =>
    responsesUpstream({ name: 'openai', baseUrl: server.url, key }).countTokens?.(first, context)
  const [short, long] = [await count('right'), JSON.stringify(first.tools).length]
  expect(short).toBeGreaterThan(long / 2)
  expect(await count('wrong')).toBeUndefined()
  expect(server.bodies).toEqual([])
})
