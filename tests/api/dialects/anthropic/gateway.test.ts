import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import { chatUpstream } from '@csp/gateway/chat-completions/chat-completions'
import { createGateway } from '@csp/gateway/gateway'
import { claudePatterns } from '@csp/gateway/models'
import { nativeUpstream } from '@csp/gateway/native/native'
import { UpstreamError } from '@csp/messages-api/upstream-error'
import { type MessagesServer, messagesServer } from '../../../../packages/gateway/test/support/messages-server.ts'
import { ScriptedUpstream } from '../../../../packages/gateway/test/support/scripted-upstream.ts'
import { createApp } from '../../../../src/app.ts'
import { type FakeExecutor, fakeExecutor } from '../../../support/fake-executor.ts'
import { testApp } from '../../test-app.ts'

let server: MessagesServer
let executor: FakeExecutor
beforeEach(() => {
  server = messagesServer('succeed')
  executor = fakeExecutor()
})
afterEach(() => server.stop())

function appOn(url = server.url) {
  const native = nativeUpstream({ name: 'local', baseUrl: url })
  const patterns = claudePatterns({ sonnet: 'qwen3', opus: 'big', haiku: 'small' })
  const gateway = createGateway({
    upstreams: [
      { name: 'local', upstream: native, native: async () => native, isAnthropic: false, patterns },
      {
        name: 'chat',
        upstream: chatUpstream({ name: 'chat', baseUrl: 'http://127.0.0.1:9/v1' }),
        native: async () => undefined,
        isAnthropic: false,
        patterns: [],
      },
    ],
  })
  return createApp({ executor, gateway, version: '0' })
}

const clientOn = (app: ReturnType<typeof appOn>) =>
  new Anthropic({
    apiKey: 'unused',
    baseURL: 'http://127.0.0.1',
    maxRetries: 0,
    fetch: async (url, init) => app.fetch(new Request(url, init)),
  })

const question = { max_tokens: 100, messages: [{ role: 'user' as const, content: 'harbour seals' }] }

describe('a message whose model belongs to an upstream', () => {
  test('tells the upstream who asks, passed through or translated, so that callers can take turns', async () => {
    const callers: unknown[] = []
    const upstream = new ScriptedUpstream()
    const native = nativeUpstream({ name: 'native', baseUrl: server.url })
    const noting: typeof native = {
      ...native,
      forward(request, context) {
        callers.push(context.caller)
        return native.forward(request, context)
      },
    }
    const common = { isAnthropic: false, patterns: [] }
    const upstreams = [
      { name: 'translated', upstream, native: async () => undefined, ...common },
      { name: 'native', upstream: native, native: async () => noting, ...common },
    ]
    const app = createApp({ executor, gateway: createGateway({ upstreams }), keys: ['key-a', 'key-b'], version: '0' })
    for (const key of ['key-a', 'key-b']) {
      for (const model of ['translated/m', 'native/m']) {
        const response = await post(app, '/v1/messages', JSON.stringify({ model, ...question }), { 'x-api-key': key })
        expect(response.status).toBe(200)
      }
    }
    const translated = upstream.sent.map(({ context }) => context.caller)
    expect(translated).toEqual(callers as string[])
    expect(new Set(translated).size).toBe(2)
  })

  test.each([
    [400, 'invalid-request'],
    [404, 'invalid-request'],
    [408, 'timeout'],
    [429, 'rate-limited'],
    [499, 'cancelled'],
    [500, 'failed'],
    [502, 'unavailable'],
    [503, 'unavailable'],
    [504, 'timeout'],
    [529, 'unavailable'],
  ] as const)('that fails with %i is %s in the log', async (status, code) => {
    const upstream = new ScriptedUpstream({ failure: new UpstreamError(status, 'It failed.') })
    const all = [{ name: 'up', upstream, native: async () => undefined, isAnthropic: false, patterns: [] }]
    const { post, log } = testApp(undefined, { gateway: createGateway({ upstreams: all }) })
    expect(await post('/v1/messages', { model: 'up/m', ...question })).toMatchObject({ status })
    expect(log).toMatchObject([{ status, code }])
  })

  test("is read by the vendor's client, whole and streamed, under the name that it asked for", async () => {
    const client = clientOn(appOn())
    const whole = await client.messages.create({ model: 'claude-sonnet-5-5', ...question })
    const streamed = await client.messages.stream({ model: 'claude-sonnet-5-5', ...question }).finalMessage()
    for (const message of [whole, streamed]) {
      expect(message).toMatchObject({ model: 'claude-sonnet-5-5', stop_reason: 'end_turn' })
      expect(message.content).toMatchObject([{ type: 'text', text: 'You said: harbour seals' }])
    }
    expect(server.requests.map(({ body }) => body['model'])).toEqual(['qwen3', 'qwen3'])
    expect(executor.calls).toEqual([])
  })

  test('goes out with its length, or as a stream that no proxy holds back', async () => {
    const listening = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: appOn().fetch })
    const ask = async (stream: boolean) => {
      const body = JSON.stringify({ model: 'sonnet', stream, ...question })
      const { headers, text } = await fetch(`${listening.url}v1/messages`, { method: 'POST', body }).then(
        async (reply) => ({ headers: reply.headers, text: await reply.text() }),
      )
      return { length: headers.get('content-length'), buffering: headers.get('x-accel-buffering'), size: text.length }
    }
    const [whole, streamed] = [await ask(false), await ask(true)]
    await listening.stop(true)
    expect(whole).toMatchObject({ length: String(whole.size), buffering: null })
    expect(streamed).toMatchObject({ length: null, buffering: 'no' })
  })

  test('may come from Claude Code, and be larger than what a search may be', async () => {
    const body = JSON.stringify({
      model: 'claude-opus-4-1',
      max_tokens: 10,
      system: 'x'.repeat(3 * 1024 * 1024),
      messages: Array.from({ length: 5001 }, (_, index) => ({
        role: index % 2 === 0 ? 'user' : 'assistant',
        content: `turn ${index}`,
      })),
    })
    const headers = { 'user-agent': 'claude-cli/2.1.328', 'content-type': 'application/json' }
    const response = await post(appOn(), '/v1/messages', body, headers)
    expect(response.status).toBe(200)
    expect(server.requests[0]?.body['model']).toBe('big')
  })

  test('that only warms a cache, or has a set of tools without a name, reaches an upstream that has such things', async () => {
    const tools = [{ type: 'mcp_toolset', mcp_server_name: 'm' }]
    const body = { ...question, model: 'opus', max_tokens: 0, tools }
    expect((await post(appOn(), '/v1/messages', JSON.stringify(body))).status).toBe(200)
    expect(server.requests[0]?.body).toMatchObject({ max_tokens: 0, tools })
  })

  test('has the reply headers of its upstream that clients read, and no others', async () => {
    const told = { 'request-id': 'req_up', 'anthropic-ratelimit-tokens-remaining': '7', 'x-should-retry': 'false' }
    const native = nativeUpstream({
      ...{ name: 'local', baseUrl: 'http://up.example' },
      fetch: async (url, init) => {
        const reply = await fetch(url.replace('http://up.example', server.url), init)
        return new Response(reply.body, { headers: { ...Object.fromEntries(reply.headers), ...told, 'x-secret': '1' } })
      },
    })
    const gateway = createGateway({
      upstreams: [{ name: 'local', upstream: native, native: async () => native, isAnthropic: false, patterns: [] }],
    })
    for (const stream of [false, true]) {
      const body = JSON.stringify({ ...question, model: 'local/m', stream })
      const { headers } = await post(createApp({ executor, gateway, version: '0' }), '/v1/messages', body)
      for (const [name, value] of Object.entries(told)) expect(headers.get(name)).toBe(value)
      expect(headers.get('x-secret')).toBeNull()
    }
  })

  test('above 32 MiB is refused in the envelope of the vendor', async () => {
    const response = await post(appOn(), '/v1/messages', `{"model":"sonnet","x":"${'x'.repeat(33 * 1024 * 1024)}"}`)
    expect(response.status).toBe(413)
    expect(await response.json()).toMatchObject({ type: 'error', error: { type: 'request_too_large' } })
    expect(server.requests).toEqual([])
  })

  test.each([
    { body: { model: 'sonnet', max_tokens: 1 }, field: 'messages' },
    { body: { model: 'sonnet', max_tokens: 1, messages: [] }, field: 'messages' },
    { body: { model: 'sonnet', max_tokens: -1, messages: question.messages }, field: 'max_tokens' },
    { body: { model: 'sonnet', ...question, tools: [{ input_schema: {} }] }, field: 'tools[0].name' },
    { body: { model: 'sonnet', max_tokens: 1, messages: [{ role: 'nobody', content: 'x' }] }, field: 'role' },
  ])('that is wrong is refused with the field $field, and asks nobody', async ({ body, field }) => {
    const response = await post(appOn(), '/v1/messages', JSON.stringify(body))
    expect(response.status).toBe(400)
    const reply = await response.json()
    expect(reply).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } })
    expect(reply.error.message).toContain(field)
    expect(server.requests).toEqual([])
  })

  test('keeps the status, the words and the wait of an upstream that refuses', async () => {
    await server.stop()
    server = messagesServer('fail')
    for (const stream of [false, true]) {
      const response = await post(appOn(), '/v1/messages', JSON.stringify({ model: 'sonnet', stream, ...question }))
      expect(response.status).toBe(429)
      expect(response.headers.get('retry-after')).toBe('7')
      const { request_id, ...body } = await response.json()
      expect(body).toEqual({ type: 'error', error: { type: 'rate_limit_error', message: 'Slow down.' } })
      expect(request_id).toBe(response.headers.get('request-id'))
    }
  })

  test('says which upstream is down', async () => {
    const response = await post(
      appOn('http://127.0.0.1:9'),
      '/v1/messages',
      JSON.stringify({ model: 'sonnet', ...question }),
    )
    expect(response.status).toBe(503)
    expect((await response.json()).error.message).toContain('The upstream 127.0.0.1:9 cannot be reached')
  })

  test('ends with an error event where the stream breaks off, which the client throws', async () => {
    await server.stop()
    server = messagesServer('break')
    const stream = clientOn(appOn()).messages.stream({ model: 'sonnet', ...question })
    expect(stream.finalMessage()).rejects.toThrow('broke off')
  })

  test('goes to the upstream that its prefix names, also where that one is translated', async () => {
    const response = await post(appOn(), '/v1/messages', JSON.stringify({ model: 'chat/gpt-5', ...question }))
    expect(response.status).toBeGreaterThanOrEqual(500)
    expect((await response.json()).type).toBe('error')
    expect(server.requests).toEqual([])
  })
})

describe('a message whose model belongs to csp', () => {
  test('is answered as without a gateway', async () => {
    const tools = [{ type: 'web_search_20250305', name: 'web_search' }]
    const response = await post(appOn(), '/v1/messages', JSON.stringify({ model: 'sonar', ...question, tools }))
    expect(response.status).toBe(200)
    expect(executor.requests).toMatchObject([{ query: 'harbour seals', want: 'answer' }])
    expect(server.requests).toEqual([])
  })

  test('and comes from Claude Code is refused, since csp would call itself', async () => {
    const headers = { 'user-agent': 'claude-cli/2.1.328', 'content-type': 'application/json' }
    const response = await post(appOn(), '/v1/messages', JSON.stringify({ model: 'sonar', ...question }), headers)
    expect(response.status).toBe(400)
  })
})

describe('the count of tokens', () => {
  test('is an estimate where the upstream does not count, and says so', async () => {
    const response = await post(
      appOn(),
      '/v1/messages/count_tokens',
      JSON.stringify({ model: 'chat/gpt-5', messages: [{ role: 'user', content: 'x'.repeat(4000) }] }),
    )
    expect(response.status).toBe(200)
    expect(response.headers.get('x-csp-estimated')).toBe('input_tokens')
    const { input_tokens } = await response.json()
    expect(input_tokens).toBeGreaterThanOrEqual(1000)
    expect(input_tokens).toBeLessThan(1100)
  })
})

function post(app: ReturnType<typeof appOn>, path: string, body: string, headers: Record<string, string> = {}) {
  return app.fetch(
    new Request(`http://127.0.0.1${path}`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    }),
  )
}
