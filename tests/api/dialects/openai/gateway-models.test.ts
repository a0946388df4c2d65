import { afterEach, expect, test } from 'bun:test'
import { chatUpstream } from '@csp/gateway/chat-completions/chat-completions'
import { createGateway } from '@csp/gateway/gateway'
import { nativeUpstream } from '@csp/gateway/native/native'
import { isObject, parseObject } from '@csp/lib/json'
import {
  type MessagesServer,
  messagesServer,
  type Sent,
} from '../../../../packages/gateway/test/support/messages-server.ts'
import { createApp } from '../../../../src/app.ts'
import { fakeExecutor } from '../../../support/fake-executor.ts'
import { eventsOf } from './response-events.ts'

// Turns of Codex, as its npm binary sends them, on models of the gateway.

const exec = { type: 'function', name: 'exec_command', strict: false, parameters: { type: 'object', properties: {} } }
const patch = {
  type: 'custom',
  name: 'apply_patch',
  description: 'Edits.',
  format: { type: 'grammar', syntax: 'lark', definition: 'x' },
}
const mcp = { type: 'namespace', name: 'mcp__csp', description: 'csp', tools: [{ ...exec, name: 'read_page' }] }
const hosted = { type: 'web_search', external_web_access: false, search_content_types: ['text'] }
const user = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Mend it' }] }
const developer = { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Be brief.' }] }
const turn = {
  ...{ model: 'local/qwen3', stream: true, store: false, tool_choice: 'auto', parallel_tool_calls: true },
  ...{ include: ['reasoning.encrypted_content'], prompt_cache_key: 'k', reasoning: { effort: 'medium' } },
  tools: [exec, patch, mcp, hosted],
  input: [developer, user],
}
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

let server: MessagesServer | undefined
afterEach(() => server?.stop())

const rows = [{ title: 'Seals', url: 'https://a.example/seals', snippet: 'Seals bark.', source: 'fake' }]

/** A csp with an upstream that says this, reply by reply. */
function cspOn(...replies: readonly (readonly object[] | Response)[]) {
  let number = 0
  server = messagesServer('succeed', (body) => {
    const said = replies[Math.min(number++, replies.length - 1)] ?? []
    return said instanceof Response ? said.clone() : Response.json(messageOf(body, said))
  })
  const executor = fakeExecutor(async function* (request) {
    yield { type: 'search-start', id: 's', query: request.query }
    yield { type: 'search-results', id: 's', results: rows }
    yield { type: 'done', reason: 'stop', model: 'sonnet', usage: { searches: 1, inputTokens: 0, outputTokens: 0 } }
  })
  const native = nativeUpstream({ name: 'local', baseUrl: server.url })
  const upstream = { name: 'local', upstream: native, native: async () => native, isAnthropic: false }
  const gateway = createGateway({ upstreams: [{ ...upstream, patterns: [['*', 'qwen3']] }] })
  const app = createApp({ executor, gateway, version: '0' })
  return {
    executor,
    async send(body: object) {
      const reply = await app.fetch(
        new Request('http://127.0.0.1/v1/responses', { method: 'POST', body: JSON.stringify({ ...turn, ...body }) }),
      )
      const text = await reply.text()
      const items = (text.startsWith('{') ? [] : eventsOf(text))
        .filter(({ type }) => type === 'response.output_item.done')
        .map(({ item }) => (isObject(item) ? item : {}))
      return { status: reply.status, headers: reply.headers, text, items }
    },
    sent: () => server?.requests.map(({ body }) => body) ?? [],
  }
}

function messageOf(body: Sent, content: readonly object[]) {
  const calls = content.some((block) => 'type' in block && block.type === 'tool_use')
  return {
    ...{ id: 'msg_up', type: 'message', role: 'assistant', model: body['model'], content },
    ...{ stop_reason: calls ? 'tool_use' : 'end_turn', stop_sequence: null },
    usage: { input_tokens: 10, output_tokens: 5 },
  }
}

const call = (name: string, input: object, id = 'c1') => ({ type: 'tool_use', id, name, input })
const say = (text: string) => ({ type: 'text', text })

test('every kind of call goes back as the client wrote the tool', async () => {
  const { send, sent } = cspOn([
    say('Looking.'),
    call('exec_command', { cmd: 'ls' }),
    call('apply_patch', { input: '*** Begin' }, 'c2'),
    call('mcp__csp__read_page', { url: 'x' }, 'c3'),
  ])
  const { status, items, text } = await send({})
  expect([status, text.includes('response.completed')]).toEqual([200, true])
  expect(items).toMatchObject([
    { type: 'message', content: [{ text: 'Looking.' }] },
    { type: 'function_call', call_id: 'c1', name: 'exec_command', arguments: '{"cmd":"ls"}' },
    { type: 'custom_tool_call', call_id: 'c2', name: 'apply_patch', input: '*** Begin' },
    { type: 'function_call', call_id: 'c3', name: 'read_page', namespace: 'mcp__csp' },
  ])
  const [body] = sent()
  expect(body).toMatchObject({ model: 'qwen3', system: 'Be brief.', output_config: { effort: 'medium' } })
  const names = ['exec_command', 'apply_patch', 'mcp__csp__read_page', 'web_search']
  expect(body?.['tools']).toMatchObject(names.map((name) => ({ name })))
})

test('the results of calls reach the model, with their images', async () => {
  const { send, sent } = cspOn([say('Done.')])
  const input = [
    ...turn.input,
    { type: 'custom_tool_call', call_id: 'c1', name: 'apply_patch', input: '*** Begin' },
    { type: 'function_call', call_id: 'c2', name: 'read_page', namespace: 'mcp__csp', arguments: '{"url":"x"}' },
    { type: 'custom_tool_call_output', call_id: 'c1', output: 'Patched' },
    {
      type: 'function_call_output',
      call_id: 'c2',
      output: [
        { type: 'input_text', text: 'A picture:' },
        { type: 'input_image', image_url: `data:image/png;base64,${pixel}` },
      ],
    },
  ]
  const { items } = await send({ input })
  expect(items).toMatchObject([{ type: 'message', content: [{ text: 'Done.' }] }])
  expect(sent()[0]?.['messages']).toMatchObject([
    { role: 'user', content: [say('Mend it')] },
    {
      role: 'assistant',
      content: [call('apply_patch', { input: '*** Begin' }), call('mcp__csp__read_page', { url: 'x' }, 'c2')],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'c1', content: [say('Patched')] },
        {
          type: 'tool_result',
          tool_use_id: 'c2',
          content: [
            say('A picture:'),
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } },
          ],
        },
      ],
    },
  ])
})

test('the model searches with csp within the turn, and knows in the next one what it found', async () => {
  const { send, sent, executor } = cspOn(
    [call('web_search', { query: 'seals' })],
    [say('They bark [1].'), call('exec_command', {}, 'c9')],
  )
  const { items } = await send({})
  expect(executor.requests.map(({ query }) => query)).toEqual(['seals'])
  const search = items.find(({ type }) => type === 'web_search_call')
  expect(search).toMatchObject({ status: 'completed', action: { query: 'seals' } })
  const message = items.find(({ type }) => type === 'message')
  expect(message).toMatchObject({ content: [{ annotations: [{ url: 'https://a.example/seals' }] }] })
  const outputs = [{ type: 'function_call_output', call_id: 'c9', output: 'ok' }]
  await send({ input: [...turn.input, ...items, ...outputs] })
  expect(JSON.stringify(sent().at(-1)?.['messages'])).toContain('Seals bark.')
})

test('the search of the model knows where its user is', async () => {
  const { send, executor } = cspOn([call('web_search', { query: 'seals' })], [say('They bark [1].')])
  const user_location = { type: 'approximate', city: 'Ulm', country: 'de', timezone: 'Europe/Berlin' }
  await send({ tools: [{ type: 'web_search', user_location }] })
  expect(executor.requests[0]?.filters).toEqual({ city: 'Ulm', country: 'DE', timezone: 'Europe/Berlin' })
})

test('thoughts go out as summaries and come back to the model', async () => {
  const thought = { type: 'thinking', thinking: 'A patch will do.', signature: 'sig' }
  const { send, sent } = cspOn([thought, call('exec_command', {})])
  const { items } = await send({})
  expect(items[0]).toMatchObject({ type: 'reasoning', summary: [{ text: 'A patch will do.' }] })
  const foreign = { type: 'reasoning', summary: [], content: null, encrypted_content: 'gAAAA' }
  const outputs = [{ type: 'function_call_output', call_id: 'c1', output: 'ok' }]
  await send({ input: [...turn.input, foreign, ...items, ...outputs] })
  expect(sent().at(-1)?.['messages']).toMatchObject([{}, { content: [thought, { type: 'tool_use' }] }, {}])
})

test('without a stream the same is one response', async () => {
  const { send } = cspOn([say('Hello.'), call('exec_command', {})])
  const { text } = await send({ stream: false })
  expect(parseObject(text)).toMatchObject({
    status: 'completed',
    model: 'local/qwen3',
    output: [{ type: 'message' }, { type: 'function_call', name: 'exec_command' }],
    usage: { input_tokens: 10, output_tokens: 5 },
  })
})

test('an upstream’s refusal keeps its status and words', async () => {
  const error = { type: 'error', error: { type: 'authentication_error', message: 'Wrong key.' } }
  const { send } = cspOn(Response.json(error, { status: 401 }))
  const { status, text } = await send({})
  expect(status).toBe(401)
  expect(parseObject(text)).toMatchObject({ error: { message: expect.stringContaining('Wrong key.') } })
})

test('a name without the prefix of an upstream stays csp’s own', async () => {
  const { send, sent, executor } = cspOn([say('Hello.')])
  for (const model of ['sonnet', 'gpt-5.5', 'claude-sonnet-5']) await send({ model, tools: [exec] })
  expect([executor.requests.length, sent().length]).toEqual([3, 0])
  await send({ model: 'anthropic/local/llama' })
  expect(sent()[0]?.['model']).toBe('llama')
})

test('a model behind chat completions finishes a turn with a tool call', async () => {
  const chunk = {
    choices: [
      {
        index: 0,
        delta: { tool_calls: [{ index: 0, id: 'c1', function: { name: 'apply_patch', arguments: '{"input":"x"}' } }] },
        finish_reason: 'tool_calls',
      },
    ],
  }
  const provider = async () =>
    new Response(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`, {
      headers: { 'content-type': 'text/event-stream' },
    })
  const upstream = chatUpstream({ name: 'chat', baseUrl: 'https://models.example/v1', key: 'k', fetch: provider })
  const gateway = createGateway({
    upstreams: [{ name: 'chat', isAnthropic: false, patterns: [], upstream, native: async () => undefined }],
  })
  const app = createApp({ executor: fakeExecutor(), gateway, version: '0' })
  const body = JSON.stringify({ ...turn, model: 'chat/tiny' })
  const reply = await app.fetch(new Request('http://127.0.0.1/v1/responses', { method: 'POST', body }))
  const done = eventsOf(await reply.text()).find(({ type }) => type === 'response.output_item.done')
  expect(done?.['item']).toMatchObject({ type: 'custom_tool_call', name: 'apply_patch', input: 'x' })
})

test.each([
  ['more functions than a turn has room for', 'tools', { tools: [{ ...mcp, tools: functions(1001) }] }],
  [
    'as many that the client has found',
    'tools',
    { input: [user, { type: 'additional_tools', tools: functions(1001) }] },
  ],
  ['no room for an answer', 'max_output_tokens', { max_output_tokens: 0 }],
  ['a room that is no number', 'max_output_tokens', { max_output_tokens: '5' }],
])('a response with %s is refused before the upstream is asked', async (_, param, body) => {
  const csp = cspOn([{ type: 'text', text: 'Done.' }])
  const { status, text } = await csp.send({ ...body, stream: false })
  expect([status, parseObject(text)]).toMatchObject([400, { error: { type: 'invalid_request_error', param } }])
  expect(csp.sent()).toEqual([])
})

function functions(count: number): readonly object[] {
  return Array.from({ length: count }, (_, number) => ({ ...exec, name: `f${number}` }))
}
