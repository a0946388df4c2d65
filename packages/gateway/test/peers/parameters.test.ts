import { expect, test } from 'bun:test'
import { sentBody } from '../support/sent-body.ts'

// What other adapters check of everything beside the messages: a request of the Messages API in, the body for chat
// completions or the Responses API out. `undefined`: the field is not there. Where csp decides otherwise, docs/gateway.md
// says why.

type Request = Parameters<typeof sentBody.chat>[0]
type Row = readonly [name: string, request: Request, expected: Readonly<Record<string, unknown>>]

const read = { name: 'read', description: 'Reads', input_schema: { type: 'object', properties: { a: {} } } }
const readFunction = { name: 'read', description: 'Reads', parameters: { type: 'object', properties: { a: {} } } }
const choosing = (tool_choice: Request['tool_choice']): Request => ({ tools: [read], tool_choice })
const thinking = (budget_tokens: number): Request => ({ thinking: { type: 'enabled', budget_tokens } })
const open = { type: 'object', properties: { name: { type: 'string' } } }
const closed = { ...open, required: ['name'], additionalProperties: false }
const long = 'mcp__server_with_a_very_long_name_that_exceeds_sixty_four_characters__search'
const system = (...texts: readonly string[]) => texts.map((text) => ({ type: 'text', text }))
const billing = 'x-anthropic-billing-header: cc_version=2.1.63; cch=12345;'

const chat: Readonly<Record<string, readonly Row[]>> = {
  Ollama: [
    [
      'sampling and stops',
      { temperature: 0.7, top_p: 0.9, top_k: 40, stop_sequences: ['\n', 'END'] },
      { temperature: 0.7, top_p: 0.9, top_k: 40, stop: ['\n', 'END'] },
    ],
    ['a limit of tokens', { max_tokens: 1024 }, { max_completion_tokens: 1024, max_tokens: undefined }],
    ['effort', { output_config: { effort: 'high' } }, { reasoning_effort: 'high' }],
    ['effort xhigh', { output_config: { effort: 'xhigh' } }, { reasoning_effort: 'xhigh' }],
    [
      'effort without thinking',
      { thinking: { type: 'disabled' }, output_config: { effort: 'high' } },
      { reasoning_effort: 'none' },
    ],
    [
      'effort with adaptive thinking',
      { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } },
      { reasoning_effort: 'high' },
    ],
    ['a tool', { tools: [read] }, { tools: [{ type: 'function', function: readFunction }] }],
    [
      'a tool of the kind custom',
      { tools: [{ ...read, type: 'custom' }] },
      { tools: [{ type: 'function', function: readFunction }] },
    ],
  ],
  LiteLLM: [
    ['a budget of 1024 tokens', thinking(1024), { reasoning_effort: 'low', thinking: undefined }],
    ['tool_choice none', choosing({ type: 'none' }), { tool_choice: 'none' }],
    ['tool_choice any', choosing({ type: 'any' }), { tool_choice: 'required' }],
    ['tool_choice auto', choosing({ type: 'auto' }), { tool_choice: 'auto' }],
    [
      'tool_choice of one tool',
      choosing({ type: 'tool', name: 'read' }),
      { tool_choice: { type: 'function', function: { name: 'read' } } },
    ],
    [
      'a schema that is closed',
      { output_format: { type: 'json_schema', schema: closed } },
      { response_format: { type: 'json_schema', json_schema: { name: 'reply', schema: closed, strict: true } } },
    ],
    [
      'a schema that is open, which stays as it is',
      { output_format: { type: 'json_schema', schema: open } },
      { response_format: { type: 'json_schema', json_schema: { name: 'reply', schema: open, strict: false } } },
    ],
    ['whose request it is', { metadata: { user_id: 'user-42' } }, { user: undefined, metadata: undefined }],
    [
      'what only the Messages API has',
      { context_management: { edits: [{ type: 'clear_thinking_20251015' }] }, container: 'c', mcp_servers: [] },
      { context_management: undefined, container: undefined, mcp_servers: undefined },
    ],
    [
      'a tool of the vendor that all models can do without',
      { tools: [{ type: 'tool_search_tool_bm25_20251119', name: 's' }] },
      { tools: undefined },
    ],
  ],
  CLIProxyAPI: [
    ['no system prompt', { system: '' }, { messages: [{ role: 'user', content: 'hi' }] }],
    [
      'a system prompt',
      { system: 'Be helpful' },
      {
        messages: [
          { role: 'system', content: 'Be helpful' },
          { role: 'user', content: 'hi' },
        ],
      },
    ],
    [
      'a system prompt of blocks, with the billing line',
      { system: system(billing, 'Block 1', 'Block 2') },
      {
        messages: [
          { role: 'system', content: 'Block 1\n\nBlock 2' },
          { role: 'user', content: 'hi' },
        ],
      },
    ],
    [
      'a system prompt with a thought in it',
      { system: [{ type: 'thinking', thinking: 'Injected' }, ...system('Rules')] },
      {
        messages: [
          { role: 'system', content: 'Rules' },
          { role: 'user', content: 'hi' },
        ],
      },
    ],
    [
      'objects and lists of a schema that say nothing of what is in them',
      {
        tools: [
          {
            name: 'f',
            input_schema: {
              type: 'object',
              properties: {
                nested: { type: 'object' },
                items: { type: 'array', items: { type: 'object' } },
                list: { type: 'array' },
                either: { anyOf: [{ type: 'object' }, { type: 'null' }] },
              },
            },
          },
        ],
      },
      {
        tools: [
          {
            type: 'function',
            function: {
              name: 'f',
              parameters: {
                type: 'object',
                properties: {
                  nested: { type: 'object', properties: {} },
                  items: { type: 'array', items: { type: 'object', properties: {} } },
                  list: { type: 'array', items: {} },
                  either: { anyOf: [{ type: 'object', properties: {} }, { type: 'null' }] },
                },
              },
            },
          },
        ],
      },
    ],
    [
      'a tool without a schema',
      { tools: [{ name: 'f', description: 'd' }] },
      {
        tools: [
          {
            type: 'function',
            function: { name: 'f', description: 'd', parameters: { type: 'object', properties: {} } },
          },
        ],
      },
    ],
    ['one stop sequence', { stop_sequences: ['</block>'] }, { stop: ['</block>'] }],
    ['faster replies, which cost more', { service_tier: 'fast', speed: 'fast' }, { service_tier: undefined }],
  ],
  vLLM: [
    [
      'a billing line behind the head of the system prompt',
      { system: system('You are helpful.', billing) },
      {
        messages: [
          { role: 'system', content: 'You are helpful.' },
          { role: 'user', content: 'hi' },
        ],
      },
    ],
  ],
}

const responses: Readonly<Record<string, readonly Row[]>> = {
  LiteLLM: [
    ['a system prompt', { system: 'Be helpful.' }, { instructions: 'Be helpful.' }],
    [
      'a system prompt of blocks',
      { system: system('Be concise.', 'Be helpful.') },
      { instructions: 'Be concise.\n\nBe helpful.' },
    ],
    [
      'blocks of a system prompt that are no text',
      { system: [{ type: 'image', source: {} }, ...system('Only text matters.')] },
      { instructions: 'Only text matters.' },
    ],
    ['a limit of tokens', { max_tokens: 512 }, { max_output_tokens: 512 }],
    ['sampling', { temperature: 0.7, top_p: 0.9 }, { temperature: 0.7, top_p: 0.9 }],
    [
      'tools in their order',
      { tools: [read, { name: 'ping', input_schema: { type: 'object', properties: {} } }] },
      {
        tools: [
          { type: 'function', ...readFunction, strict: false },
          { type: 'function', name: 'ping', parameters: { type: 'object', properties: {} }, strict: false },
        ],
      },
    ],
    [
      'tool_choice of one tool',
      choosing({ type: 'tool', name: 'read' }),
      { tool_choice: { type: 'function', name: 'read' } },
    ],
    ['tool_choice none', choosing({ type: 'none' }), { tool_choice: 'none' }],
    ['a budget of 12000 tokens', thinking(12_000), { reasoning: { effort: 'high', summary: 'auto' } }],
    ['a budget of 7500 tokens', thinking(7500), { reasoning: { effort: 'medium', summary: 'auto' } }],
    ['a budget of 3000 tokens', thinking(3000), { reasoning: { effort: 'low', summary: 'auto' } }],
    ['no thinking', { thinking: { type: 'disabled' } }, { reasoning: { effort: 'none' } }],
    [
      'a schema',
      { output_config: { format: { type: 'json_schema', schema: closed } } },
      { text: { format: { type: 'json_schema', name: 'reply', schema: closed, strict: true } } },
    ],
    ['effort without a schema', { output_config: { effort: 'high' } }, { text: undefined }],
    ['whose request it is', { metadata: { user_id: 'user-42' } }, { user: undefined }],
    [
      'nothing besides',
      {},
      { instructions: undefined, temperature: undefined, tools: undefined, tool_choice: undefined, text: undefined },
    ],
  ],
  CLIProxyAPI: [
    ['parallel calls by default', { tools: [read] }, { parallel_tool_calls: undefined }],
    [
      'parallel calls that the client refuses',
      choosing({ type: 'auto', disable_parallel_tool_use: true }),
      { parallel_tool_calls: false },
    ],
    [
      'parallel calls that the client allows',
      choosing({ type: 'auto', disable_parallel_tool_use: false }),
      { parallel_tool_calls: undefined },
    ],
    ['tool_choice any', choosing({ type: 'any' }), { tool_choice: 'required' }],
    ['faster replies, which cost more', { speed: 'fast' }, { service_tier: undefined }],
  ],
}

for (const [peer, rows] of Object.entries(chat)) {
  test.each([...rows])(`${peer}, chat completions: %s`, async (_name, request, expected) => {
    expect(fieldsOf(await sentBody.chat(request), expected)).toEqual(expected)
  })
}

for (const [peer, rows] of Object.entries(responses)) {
  test.each([...rows])(`${peer}, Responses API: %s`, async (_name, request, expected) => {
    expect(fieldsOf(await sentBody.responses(request), expected)).toEqual(expected)
  })
}

function fieldsOf(body: Record<string, unknown>, expected: Readonly<Record<string, unknown>>): unknown {
  return Object.fromEntries(Object.keys(expected).map((name) => [name, body[name]]))
}

test('LiteLLM, CLIProxyAPI: a long name is one short name in tools, choice and calls, and a like one is another', async () => {
  const tools = [read, { ...read, name: long }, { ...read, name: `${long}_2` }]
  const {
    tools: sent,
    tool_choice,
    messages,
  } = await sentBody.chat({
    tools,
    tool_choice: { type: 'tool', name: long },
    messages: [{ role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: long, input: {} }] }],
  })
  const names = (sent as { function: { name: string } }[]).map((tool) => tool.function.name)
  expect(new Set(names).size).toBe(3)
  expect(names[0]).toBe('read')
  expect(names.every((name) => name.length <= 64)).toBe(true)
  expect(tool_choice).toEqual({ type: 'function', function: { name: names[1] } })
  expect(messages).toMatchObject([{ tool_calls: [{ function: { name: names[1] } }] }, { role: 'tool' }])
})

test('LiteLLM: a format that is no schema is refused, and the field is named', async () => {
  const { responsesUpstream } = await import('../../src/responses/responses.ts')
  const upstream = responsesUpstream({ name: 'x', baseUrl: 'http://provider.example/v1' })
  const request = { model: 'm', messages: [{ role: 'user' as const, content: 'hi' }], output_format: { type: 'text' } }
  const events = upstream.send(request, { signal: new AbortController().signal })
  const refusal = await events[Symbol.asyncIterator]()
    .next()
    .catch((error) => error)
  expect(refusal).toMatchObject({ status: 400, message: expect.stringContaining('output_format.type') })
})
