import { afterEach, describe, expect, test } from 'bun:test'
import { chatUpstream } from '@csp/gateway/chat-completions/chat-completions'
import { createGateway, type GatewayUpstream } from '@csp/gateway/gateway'
import { createUpstreamStack } from '@csp/gateway/layers/stack'
import { nativeUpstream } from '@csp/gateway/native/native'
import {
  type MessagesServer,
  messagesServer,
  type Override,
} from '../../../../packages/gateway/test/support/messages-server.ts'
import { createApp } from '../../../../src/app.ts'
import { fakeExecutor } from '../../../support/fake-executor.ts'

const servers: MessagesServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop()
})

const patterns: GatewayUpstream['patterns'] = [
  ['*sonnet*', 'ollama/qwen3', 'openrouter/openai/gpt-5'],
  ['*opus*', 'big', 'openrouter/openai/gpt-5'],
]

/** Two stand-ins that speak the Messages API; the first replies as `override` says. */
function setUp(override: Override | 'nowhere', behaviour: 'succeed' | 'break' = 'succeed') {
  const first = messagesServer(behaviour, override === 'nowhere' ? undefined : override)
  const second = messagesServer('succeed')
  servers.push(first, second)
  const url = override === 'nowhere' ? 'http://127.0.0.1:9' : first.url
  const upstreams = [native('ollama', url, patterns), native('openrouter', second.url, [])]
  const app = createApp({ executor: fakeExecutor(), gateway: createGateway({ upstreams }), version: '0' })
  const ask = (more: object = {}) => send(app, { model: 'claude-sonnet-5', ...more })
  return { first, second, ask }
}

function native(name: string, baseUrl: string, given: GatewayUpstream['patterns']): GatewayUpstream {
  const inner = nativeUpstream({ name, baseUrl })
  const shaped = { upstream: inner, native: async () => inner }
  const quick = { retried: { pause: async () => {} } }
  return { name, isAnthropic: false, patterns: given, ...createUpstreamStack(shaped, quick) }
}

function send(app: ReturnType<typeof createApp>, body: object): Promise<Response> {
  const whole = { max_tokens: 100, messages: [{ role: 'user', content: 'harbour seals' }], ...body }
  const init = { method: 'POST', body: JSON.stringify(whole), headers: { 'content-type': 'application/json' } }
  return Promise.resolve(app.fetch(new Request('http://127.0.0.1/v1/messages', init)))
}

const failing =
  (status: number): Override =>
  () =>
    Response.json({ type: 'error', error: { type: 'api_error', message: 'No.' } }, { status })

const tools = [{ type: 'web_search_20250305', name: 'web_search' }]

describe('a model with several upstreams', () => {
  for (const stream of [false, true]) {
    test.each([401, 402, 403, 404, 429, 500, 503, 529])(
      `is served by the next one when the first fails with %i (stream: ${stream})`,
      async (status) => {
        const { second, ask } = setUp(failing(status))
        const response = await ask({ stream })
        expect(response.status).toBe(200)
        expect(response.headers.get('x-csp-backend')).toBe('openrouter')
        expect(await response.text()).toContain('claude-sonnet-5')
        expect(second.requests.map(({ body }) => body['model'])).toEqual(['openai/gpt-5'])
      },
    )
  }

  test('is served by the next one when the first cannot be reached, also with tools of csp', async () => {
    const { second, ask } = setUp('nowhere')
    expect((await ask()).status).toBe(200)
    const response = await ask({ tools })
    expect(await response.json()).toMatchObject({ type: 'message', model: 'claude-sonnet-5' })
    expect(second.requests.length).toBe(2)
  })

  test('is served by the first while that one answers', async () => {
    const { first, second, ask } = setUp(() => undefined)
    expect((await ask()).headers.get('x-csp-backend')).toBe('ollama')
    expect((await ask({ model: 'opus' })).status).toBe(200)
    expect(first.requests.map(({ body }) => body['model'])).toEqual(['qwen3', 'big'])
    expect(second.requests).toEqual([])
  })

  test.each([400, 413, 422])('is refused by the first alone when the request is wrong: %i', async (status) => {
    const { second, ask } = setUp(failing(status))
    expect((await ask()).status).toBe(status)
    expect((await ask({ tools })).status).toBe(status)
    expect(second.requests).toEqual([])
  })

  test('ends with an error, not with another answer, when the first breaks off what it has begun', async () => {
    const { second, ask } = setUp(() => undefined, 'break')
    for (const more of [{ stream: true }, { stream: true, tools }]) {
      const text = await (await ask(more)).text()
      expect(text).toContain('event: error')
      expect(text).toContain('broke off')
    }
    expect(second.requests).toEqual([])
  })

  test('fails with the words of the last one when all fail', async () => {
    const upstreams = [
      native('ollama', 'http://127.0.0.1:9', [['sonnet', 'ollama/a', 'openrouter/b', 'chat/c']]),
      native('openrouter', 'http://127.0.0.1:9', []),
      {
        name: 'chat',
        upstream: chatUpstream({ name: 'chat', baseUrl: 'http://127.0.0.1:9/v1' }),
        native: async () => undefined,
        isAnthropic: false,
        patterns: [],
      },
    ]
    const app = createApp({ executor: fakeExecutor(), gateway: createGateway({ upstreams }), version: '0' })
    const response = await send(app, { model: 'sonnet' })
    expect(response.status).toBe(502)
    expect(response.headers.get('x-csp-backend')).toBe('chat')
  })
})
