import { describe, expect, test } from 'bun:test'
import { SearchError } from '../../../../src/domain/error.ts'
import type { SearchEvent } from '../../../../src/domain/search.ts'
import { testApp } from '../../test-app.ts'
import { eventsOf } from './response-events.ts'

// What Codex 0.171 sends: as its npm binary sent it to a loopback server, shortened.

const usage = { searches: 0, inputTokens: 5, outputTokens: 7 }
const patchFormat = { type: 'grammar', syntax: 'lark', definition: 'start: begin_patch hunk+ end_patch' }
const exec = { type: 'function', name: 'exec_command', strict: false, parameters: { type: 'object', properties: {} } }
const applyPatch = { type: 'custom', name: 'apply_patch', description: 'Edits files.', format: patchFormat }
const csp = { ...exec, name: 'web_search', description: 'Search the web' }
const mcp = { type: 'namespace', name: 'mcp__csp', description: 'Tools of csp', tools: [csp] }
const toolSearch = {
  type: 'tool_search',
  execution: 'client',
  description: 'Finds tools',
  parameters: { type: 'object', properties: { query: { type: 'string' } } },
}
const hosted = { type: 'web_search', external_web_access: false, search_content_types: ['text', 'image'] }
const user = { type: 'message', id: 'm1', role: 'user', content: [{ type: 'input_text', text: 'Mend it' }] }
const turn = {
  ...{ model: 'sonnet', stream: true, store: false, tool_choice: 'auto', parallel_tool_calls: true },
  ...{ include: ['reasoning.encrypted_content'], prompt_cache_key: 'k', client_metadata: { turn_id: 't' } },
  reasoning: { effort: 'medium' },
  text: { verbosity: 'low' },
  tools: [exec, applyPatch, mcp, toolSearch, hosted],
  input: [{ type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Be brief.' }] }, user],
}

const called = (name: string, text: string): readonly SearchEvent[] => [
  { type: 'tool-call-start', id: 'c1', name },
  { type: 'tool-call-delta', id: 'c1', arguments: text },
  { type: 'done', reason: 'tool-calls', usage, model: 'claude-x' },
]

async function sent(body: object, script?: Parameters<typeof testApp>[0]) {
  const { request, executor } = testApp(script)
  const reply = await request('/v1/responses', { method: 'POST', body: JSON.stringify({ ...turn, ...body }) })
  const text = await reply.text()
  const [asked] = executor.requests
  return { status: reply.status, headers: reply.headers, text, asked }
}

const itemIn = (text: string) =>
  eventsOf(text).find(({ type }) => type === 'response.output_item.done')?.['item'] as Record<string, unknown>

test('every tool is a function of plain inference, and what has no effect is named', async () => {
  const { status, headers, asked } = await sent({}, called('exec_command', '{}'))
  expect([status, asked?.want]).toEqual([200, 'text'])
  const names = ['exec_command', 'apply_patch', 'mcp__csp__web_search', 'tool_search']
  expect(asked?.tools?.map(({ name }) => name)).toEqual(names)
  expect(asked?.tools?.[1]?.description).toContain(patchFormat.definition)
  expect(asked?.tools?.[1]?.parameters).toMatchObject({ required: ['input'] })
  expect(headers.get('x-csp-ignored')?.split(', ')).toContain('tools[4]')
})

test.each([
  ['exec_command', '{"cmd":"ls"}', { type: 'function_call', name: 'exec_command', arguments: '{"cmd":"ls"}' }],
  ['apply_patch', '{"input":"*** Begin"}', { type: 'custom_tool_call', name: 'apply_patch', input: '*** Begin' }],
  [
    'mcp__csp__web_search',
    '{"q":"b"}',
    { type: 'function_call', name: 'web_search', namespace: 'mcp__csp', arguments: '{"q":"b"}' },
  ],
  ['tool_search', '{"query":"b"}', { type: 'tool_search_call', execution: 'client', arguments: { query: 'b' } }],
])('a call of %s goes back as the client wrote the tool', async (name, text, item) => {
  const { text: body } = await sent({}, called(name, text))
  expect(itemIn(body)).toMatchObject({ ...item, call_id: 'c1', status: 'completed' })
})

test('what is said of a custom tool’s input while it streams is its text', async () => {
  const { text } = await sent({}, called('apply_patch', '{"input":"*** Begin"}'))
  const said = eventsOf(text).filter(({ type }) => String(type).startsWith('response.custom_tool_call_input'))
  expect(said).toMatchObject([{ delta: '*** Begin' }, { input: '*** Begin' }])
})

describe('a later turn', () => {
  const calls = [
    { type: 'reasoning', summary: [], content: null, encrypted_content: 'x' },
    { type: 'message', role: 'assistant', phase: 'commentary', content: [{ type: 'output_text', text: 'Looking' }] },
    { type: 'web_search_call', status: 'completed', action: { type: 'search' } },
    { type: 'custom_tool_call', call_id: 'c1', name: 'apply_patch', input: '*** Begin' },
    { type: 'custom_tool_call_output', call_id: 'c1', output: [{ type: 'input_text', text: 'Done' }] },
    { type: 'function_call', call_id: 'c2', name: 'web_search', namespace: 'mcp__csp', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c2', output: 'Found' },
    { type: 'tool_search_call', call_id: 'c3', execution: 'client', arguments: { query: 'b', limit: 3 } },
    { type: 'tool_search_output', call_id: 'c3', execution: 'client', tools: [{ ...mcp, name: 'mcp__x' }] },
  ]

  test('replays its calls under the names that the model knows, and offers the tools that were found', async () => {
    const { status, asked } = await sent({ input: [...turn.input, ...calls] }, called('mcp__x__web_search', '{}'))
    expect(status).toBe(200)
    const made = asked?.continuation?.flatMap((one) => (one.role === 'assistant' ? (one.toolCalls ?? []) : []))
    expect(made?.map(({ name, arguments: text }) => [name, text])).toEqual([
      ['apply_patch', '{"input":"*** Begin"}'],
      ['mcp__csp__web_search', '{}'],
      ['tool_search', '{"query":"b","limit":3}'],
    ])
    expect(asked?.continuation?.at(-1)).toMatchObject({ text: expect.stringContaining('mcp__x__web_search') })
    expect(asked?.tools?.map(({ name }) => name)).toContain('mcp__x__web_search')
  })

  test('says which namespace a tool that was found is in', async () => {
    const { text } = await sent({ input: [...turn.input, ...calls] }, called('mcp__x__web_search', '{}'))
    expect(itemIn(text)).toMatchObject({ name: 'web_search', namespace: 'mcp__x' })
  })
})

test('an image that a tool gave is a note for a model of csp, and named', async () => {
  const output = [
    { type: 'input_text', text: 'A picture:' },
    { type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
  ]
  const seen = [
    { type: 'function_call', call_id: 'c1', name: 'view_image', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c1', output },
  ]
  const { status, asked, headers } = await sent({ input: [...turn.input, ...seen] }, called('exec_command', '{}'))
  expect([status, asked?.continuation?.at(-1)?.text]).toEqual([200, expect.stringMatching(/^A picture:\n\[An image/)])
  expect(headers.get('x-csp-ignored')?.split(', ')).toContain('input[3].output')
})

describe('a limit', () => {
  const limit = (retryAfterSeconds?: number) => [
    new SearchError('rate-limited', 'The plan is used up.', { retryAfterSeconds }),
  ]

  // Codex shows its own words and when it ends, and does not try again, after this type alone.
  test.each([[3600], [undefined]])('of a plan that lasts %p s has the type that Codex knows', async (seconds) => {
    const { status, text } = await sent({}, limit(seconds))
    const { error } = JSON.parse(text)
    expect([status, error.type, error.message]).toEqual([
      429,
      'usage_limit_reached',
      expect.stringContaining('used up'),
    ])
    const left = error.resets_at - Date.now() / 1000
    expect(seconds === undefined ? Number.isNaN(left) : left > 3500 && left < 3700).toBe(true)
  })

  test('that ends at once is one to wait for', async () => {
    const { status, text } = await sent({}, limit(7))
    expect([status, JSON.parse(text).error.type]).toEqual([429, 'rate_limit_error'])
  })
})

test('tools that an item of the input brings are offered, and what configures the vendor’s model is named', async () => {
  const functions = { type: 'namespace', name: 'functions', description: '', tools: [applyPatch, exec] }
  const input = [
    { type: 'additional_tools', role: 'developer', tools: [functions] },
    ...turn.input,
    { type: 'configuration_update', content: { effort: 3 }, output: 7, arguments: [1] },
  ]
  const { tools: _, ...rest } = turn
  const { asked, text, headers } = await sent(
    { ...rest, tools: undefined, input },
    called('functions__apply_patch', '{"input":"x"}'),
  )
  expect(asked?.tools?.map(({ name }) => name)).toEqual(['functions__apply_patch', 'functions__exec_command'])
  expect(itemIn(text)).toMatchObject({ type: 'custom_tool_call', name: 'apply_patch', namespace: 'functions' })
  expect(headers.get('x-csp-ignored')?.split(', ')).toContain('input[3]')
})

test('an unknown type is named, never refused, unless the answer would be another', async () => {
  const tools = [exec, { type: 'hologram', depth: 3 }]
  const { status, headers } = await sent({ tools }, called('exec_command', '{}'))
  expect([status, headers.get('x-csp-ignored')?.split(', ').includes('tools[1]')]).toEqual([200, true])
  for (const type of ['computer_call_output', 'compaction']) {
    const input = [...turn.input, { type, call_id: 'c', output: { image: 'x' } }]
    expect((await sent({ input })).status).toBe(400)
  }
})

// Codex says true where it runs without a sandbox, false otherwise; other clients leave it out.
test.each([[true], [false]])(
  'beside functions the search of an agent has no effect, live or not: %p',
  async (isLive) => {
    const { asked, headers } = await sent({ tools: [exec, { ...hosted, external_web_access: isLive }] })
    expect([asked?.want, headers.get('x-csp-ignored')?.split(', ').includes('tools[1]')]).toEqual(['text', true])
  },
)

test('the hosted search is one where nothing else is offered, and where it is not an agent’s', async () => {
  expect((await sent({ tools: [hosted] })).asked?.want).toBe('answer')
  expect((await sent({ tools: [exec, { type: 'web_search' }] })).asked?.want).toBe('answer')
})

test('a name of a namespace that is too long stays one, and is the same in the next turn', async () => {
  const long = { ...mcp, name: `mcp__${'n'.repeat(58)}` }
  const { asked } = await sent({ tools: [long] }, called('x', '{}'))
  const [name = ''] = asked?.tools?.map((tool) => tool.name) ?? []
  expect(name).toMatch(/^[A-Za-z0-9_-]{64}$/)
  const call = { type: 'function_call', call_id: 'c', name: 'web_search', namespace: long.name, arguments: '{}' }
  const input = [...turn.input, call, { type: 'function_call_output', call_id: 'c', output: '' }]
  const next = await sent({ tools: [long], input }, called(name, '{}'))
  expect(JSON.stringify(next.asked?.continuation)).toContain(name)
  expect(itemIn(next.text)).toMatchObject({ name: 'web_search', namespace: long.name })
})

describe('a failure', () => {
  test('of a spent plan is 429, never 503', async () => {
    const { status } = await sent({}, [new SearchError('rate-limited', 'Spent.', { retryAfterSeconds: 9_000 })])
    expect(status).toBe(429)
  })

  test('in a stream ends it as a response that failed', async () => {
    const codes = [
      ['rate_limit_exceeded', 7],
      ['insufficient_quota', 9_000],
    ] as const
    for (const [code, retryAfterSeconds] of codes) {
      const failure = new SearchError('rate-limited', 'Spent.', { retryAfterSeconds })
      const { text } = await sent({}, [{ type: 'text-delta', text: 'I' }, failure])
      expect(eventsOf(text).slice(-2)).toMatchObject([
        { type: 'error' },
        { type: 'response.failed', response: { status: 'failed', error: { code } } },
      ])
    }
  })

  test('to upgrade to WebSocket is 426, and of a packed body 415', async () => {
    const upgrade = await testApp().request('/v1/responses', { headers: { upgrade: 'websocket' } })
    expect(upgrade.status).toBe(426)
    const headers = { 'content-encoding': 'zstd' }
    const packed = await testApp().request('/v1/responses', { method: 'POST', headers, body: 'x' })
    expect(packed.status).toBe(415)
  })
})

test('the models are listed for Codex, too', async () => {
  const reply = await testApp().request('/v1/models?client_version=0.171.0')
  const { data, models } = (await reply.json()) as { data: { id: string }[]; models: Record<string, unknown>[] }
  expect(models.map(({ slug }) => slug)).toEqual(data.map(({ id }) => id))
  const required = ['display_name', 'supported_reasoning_levels', 'shell_type', 'visibility', 'supported_in_api']
  const more = ['priority', 'base_instructions', 'support_verbosity', 'truncation_policy']
  expect(Object.keys(models[0] ?? {})).toEqual(
    expect.arrayContaining([...required, ...more, 'experimental_supported_tools']),
  )
})
