import { describe, expect, test } from 'bun:test'
import { createGateway } from '@csp/gateway/gateway'
import { ScriptedUpstream } from '../../../packages/gateway/test/support/scripted-upstream.ts'
import type { OfferedModel } from '../../../src/domain/claude-models.ts'
import type { ExecutorHealth } from '../../../src/domain/health.ts'
import { configuredModels, withOffered } from '../../../src/domain/model.ts'
import { scriptedExecutor } from '../../support/scripted-executor.ts'
import { testApp } from '../test-app.ts'

test('health says first that nothing on the sandbox is real', async () => {
  const sandbox = { ...scriptedExecutor([]), isSandbox: true }
  const { body } = await testApp(sandbox as never).get('/health')
  expect([body.sandbox, body.rows[0].text]).toEqual([
    true,
    expect.stringMatching(/^Sandbox: nothing here comes from the web\. /),
  ])
  const real = await testApp(scriptedExecutor([])).get('/health')
  expect([real.body.sandbox, real.body.rows[0].text]).toEqual([undefined, expect.not.stringContaining('Sandbox')])
})

const refusing = configuredModels({ defaultEffort: 'standard', unknownModels: 'refuse', models: {} })

describe('the list of models', () => {
  test('has those of upstreams, each by a name that Claude Code lists and csp understands', async () => {
    const upstream = new ScriptedUpstream()
    const patterns = [
      ['claude-gpt', 'gpt'],
      ['*sonnet*', 'x'],
    ] as const
    const upstreams = [{ name: 'other', upstream, native: async () => undefined, isAnthropic: false, patterns }]
    const app = testApp(undefined, { models: {}, gateway: createGateway({ upstreams }) })
    const { body } = await app.get('/v1/models')
    expect(body.data.map((model: Record<string, unknown>) => [model['id'], model['display_name']])).toEqual([
      ['claude-gpt', 'claude-gpt'],
      ['anthropic/other/gpt', 'other/gpt'],
      ['anthropic/other/x', 'other/x'],
    ])
    expect((await app.get('/v1/models/anthropic/other/x')).body).toMatchObject({ type: 'model', owned_by: 'other' })
    const asked = { model: 'anthropic/other/x', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] }
    expect((await app.post('/v1/messages', asked)).status).toBe(200)
    expect(upstream.sent[0]?.context.model).toBe('x')
  })

  test('has one shape for both vendors', async () => {
    const models = { sonar: { effort: 'fast' }, mine: { effort: 'deep' } } as const
    const { body } = await testApp(undefined, { models }).get('/v1/models')
    expect(body).toEqual({
      object: 'list',
      data: [expect.objectContaining({ id: 'sonar' }), expect.objectContaining({ id: 'mine' })],
      models: [expect.objectContaining({ slug: 'sonar' }), expect.objectContaining({ slug: 'mine' })],
      has_more: false,
      first_id: 'sonar',
      last_id: 'mine',
    })
    expect(body.data[0]).toEqual({
      id: 'sonar',
      object: 'model',
      created: 1795168800,
      owned_by: 'claude-search-proxy',
      type: 'model',
      display_name: 'sonar',
      created_at: '2026-11-20T10:00:00.000Z',
    })
  })

  test('has what the CLI offers as soon as it is known, with the model that each name stands for', async () => {
    let offered: readonly OfferedModel[] = []
    const app = testApp(undefined, { models: () => withOffered(refusing, offered) })
    expect((await app.get('/v1/models/saga')).status).toBe(404)
    offered = [
      { name: 'saga', fullName: 'claude-saga-6', title: 'Saga' },
      { name: 'opus', fullName: 'claude-opus-5-9', title: 'Opus' },
    ]
    for (const [id, display_name, resolves_to] of [
      ['saga', 'Saga', 'claude-saga-6'],
      ['chat-saga', 'chat-saga', 'claude-saga-6'],
      ['opus', 'Opus', 'claude-opus-5-9'],
    ]) {
      expect((await app.get(`/v1/models/${id}`)).body).toMatchObject({ id, display_name, resolves_to })
    }
    const { body } = await app.get('/v1/models')
    expect(body.data).toContainEqual(expect.objectContaining({ id: 'saga' }))
    expect(body.data.find(({ id }: { id: string }) => id === 'haiku')).not.toHaveProperty('resolves_to')
    const chat = { method: 'POST', body: JSON.stringify({ model: 'saga', messages: [{ role: 'user', content: 'q' }] }) }
    expect((await app.request('/v1/chat/completions', chat)).status).toBe(200)
  })

  test.each([
    ['/v1/models/sonar', 'sonar'],
    ['/models/sonar', 'sonar'],
    ['/v1/models/perplexity%2Fsonar-pro', 'perplexity/sonar-pro'],
    ['/v1/models/perplexity/sonar-pro', 'perplexity/sonar-pro'],
    ['/v1/models/claude-opus-5', 'claude-opus-5'],
  ])('has %s as the model %s', async (path, id) => {
    const { status, body } = await testApp().get(path)
    expect(status).toBe(200)
    expect(body).toMatchObject({ id, object: 'model', type: 'model' })
  })

  test.each(['nope', 'other%2Fsonar', '%E0%A4%A', 'constructor'])(
    'has the model %s, as any name is served, but not where unknown names are refused',
    async (id) => {
      expect((await testApp().get(`/v1/models/${id}`)).body).toMatchObject({ object: 'model' })
      const { status, body } = await testApp(undefined, { models: refusing }).get(`/v1/models/${id}`)
      expect(status).toBe(404)
      expect(body.error).toMatchObject({ code: 'model_not_found', param: 'model' })
    },
  )

  test("reports an unknown model in Anthropic's shape to Anthropic's client", async () => {
    const { status, body } = await testApp(undefined, { models: refusing }).get('/v1/models/gpt-nope', {
      'anthropic-version': '2023-06-01',
    })
    expect(status).toBe(404)
    expect(body).toMatchObject({ type: 'error', error: { type: 'not_found_error' } })
  })
})

describe('the health endpoint', () => {
  const backend = {
    name: 'claude',
    ready: true,
    signedIn: true,
    authMethod: 'oauth_token',
    engines: { direct: 'ready' },
  }
  const lastError = { code: 'timeout', message: 'Too long.', at: '2026-11-20T09:00:00Z' } as const
  const cases: readonly [string, number, ExecutorHealth][] = [
    ['ok', 200, { ready: true, backends: [backend] }],
    ['degraded', 200, { ready: true, backends: [backend, { name: 'searxng', ready: false, problem: 'No answer.' }] }],
    ['down', 503, { ready: false, backends: [{ ...backend, ready: false, signedIn: false, lastError }] }],
  ]

  test.each(cases)('reports the status %s with %i', async (expected, status, health) => {
    const { get } = testApp(scriptedExecutor([], health))
    for (const path of ['/health', '/v1/health']) {
      const reply = await get(path)
      expect(reply.status).toBe(status)
      expect(reply.body).toMatchObject({ status: expected, version: '1.2.3', uptime_seconds: 0 })
      expect(reply.body.backends).toHaveLength(health.backends.length)
    }
  })

  test.each(cases)(
    '/health/ready reports %s with the status of /health, and /health/live is always 200',
    async (expected, status, health) => {
      const { get } = testApp(scriptedExecutor([], health))
      for (const prefix of ['', '/v1']) {
        const ready = await get(`${prefix}/health/ready`)
        expect([ready.status, ready.body.status]).toEqual([status, expected])
        const live = await get(`${prefix}/health/live`)
        expect([live.status, live.body]).toEqual([200, { status: 'ok' }])
      }
    },
  )

  test('/health/live needs no key and checks no backend', async () => {
    const executor = scriptedExecutor([])
    const health = () => Promise.reject(new Error('The backends were asked.'))
    const { get } = testApp({ ...executor, health }, { keys: ['secret'] })
    expect((await get('/health/live')).status).toBe(200)
    expect((await get('/v1/health/live')).status).toBe(200)
  })

  test('has the part of each layer, in the naming of the wire', async () => {
    const queue = { running: 1, waiting: 2, concurrency: 3, capacity: 100 }
    const cache = { hits: 1, stale: 0, misses: 2 }
    const { body } = await testApp(
      scriptedExecutor([], { ready: true, backends: [{ ...backend, lastError }], queue, cache }),
    ).get('/health')
    expect(body).toMatchObject({ ready: true, queue, cache })
    expect(body.backends).toEqual([
      {
        name: 'claude',
        ready: true,
        signed_in: true,
        auth_method: 'oauth_token',
        engines: { direct: 'ready' },
        last_error: lastError,
      },
    ])
  })

  test('is 200 while searches or the gateway work, and says which of them', async () => {
    const down = scriptedExecutor([], { ready: false, backends: [{ ...backend, ready: false }] })
    for (const [isUp, status, said] of [
      [true, 200, 'degraded'],
      [false, 503, 'down'],
    ] as const) {
      const upstream = new ScriptedUpstream()
      const native = async () => undefined
      const to = { name: 'local', isAnthropic: false, patterns: [], upstream, native }
      const health = () => ({ name: 'local', ready: isUp })
      const gateway = createGateway({ upstreams: [{ ...to, health }] })
      const reply = await testApp(down, { gateway }).get('/health')
      expect(reply.status).toBe(status)
      expect(reply.body).toMatchObject({ status: said, ready: false, gateway_ready: isUp })
      const anonymous = await testApp(down, { gateway, keys: ['secret'] }).get('/health')
      expect([anonymous.status, anonymous.body]).toEqual([status, { status: said }])
    }
  })

  test('refuses a proxy in front of a csp without keys, and none with one', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.7' }
    const open = await testApp().get('/health', headers)
    const problem = expect.stringContaining('it has the header x-forwarded-for')
    expect([open.status, open.body]).toEqual([503, { status: 'down', problem }])
    const { get } = testApp(undefined, { keys: ['secret'] })
    expect((await get('/health', { ...headers, 'x-api-key': 'secret' })).body).toMatchObject({ status: 'ok' })
    expect((await get('/health', headers)).body).toEqual({ status: 'ok' })
  })

  test('offers to sign in where csp can, and has no gateway where there is none', async () => {
    const executor = scriptedExecutor([], { ready: false, backends: [{ ...backend, ready: false, signedIn: false }] })
    const signIn = { async *begin() {}, enter: async () => false }
    const rowOf = async (app: ReturnType<typeof testApp>) => {
      const { body } = await app.get('/health')
      expect([body.gateway, body.tunnel]).toEqual([undefined, undefined])
      return body.rows.find(({ name }: { name: string }) => name === 'claude login').action
    }
    expect(await rowOf(testApp(executor, { signIn }))).toBe('sign-in')
    expect(await rowOf(testApp(executor))).toBeUndefined()
  })

  test('shows only its status to callers without the key', async () => {
    const { get } = testApp(undefined, { keys: ['secret'] })
    expect((await get('/health')).body).toEqual({ status: 'ok' })
    expect((await get('/health', { 'x-api-key': 'wrong' })).body).toEqual({ status: 'ok' })
    expect((await get('/health', { 'x-api-key': 'secret' })).body).toMatchObject({ version: '1.2.3' })
  })
})

test('every JSON reply ends its line, since a terminal shows what curl prints', async () => {
  const { request } = testApp()
  const chat = { method: 'POST', body: JSON.stringify({ messages: [{ role: 'user', content: 'bees' }] }) }
  const calls = [
    ...['/v1/models', '/v1/models/sonar', '/v1/models/none', '/health', '/health/live', '/v1/usage', '/nothing'],
    ...['/v1/search?q=bees', '/v1/search', '/res/v1/web/search?q=bees'],
  ].map((path) => request(path))
  for (const call of [...calls, request('/v1/chat/completions', chat)]) {
    const response = await call
    const text = await response.text()
    expect(text).toEndWith('}\n')
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(JSON.parse(text)).toBeObject()
  }
})

test('callers without a key share one status for as long as is set, which costs no look at the backends', async () => {
  let now = 1_790_000_000_000
  let asked = 0
  const executor = { ...scriptedExecutor([]), health: async () => ({ ready: ++asked % 2 === 1, backends: [] }) }
  const { get } = testApp(executor, {
    keys: ['a-key'],
    anonymousHealthTtlMs: 10_000,
    now: () => new Date(now),
  })
  for (let round = 0; round < 3; round++) expect((await get('/health')).body).toEqual({ status: 'ok' })
  expect(asked).toBe(1)
  now += 10_000
  const later = await get('/health')
  expect([later.status, later.body, asked]).toEqual([503, { status: 'down' }, 2])
  const shared = await get('/health')
  expect([shared.status, shared.body, asked]).toEqual([503, { status: 'down' }, 2])
  expect((await get('/health', { 'x-api-key': 'a-key' })).body).toMatchObject({ status: 'ok' })
})

test('/health has how long csp runs, also where its clock was set back, and what happens in the background', async () => {
  let now = 1_790_000_000_000
  const counts = { queued: 1, running: 2 }
  const jobs = { counts: async () => counts } as never
  const { get } = testApp(undefined, { jobs, now: () => new Date(now) })
  now += 7999
  const { body } = await get('/health')
  expect([body.uptime_seconds, body.jobs]).toEqual([7, counts])
  expect(body.rows).toContainEqual({ name: 'Jobs', level: 'ok', text: '2 running, 1 waiting.' })
  now -= 60_000
  expect((await get('/health')).body.uptime_seconds).toBe(0)
  const broken = { counts: () => Promise.reject(new Error('torn')) } as never
  expect((await testApp(undefined, { jobs: broken }).get('/health')).body).not.toHaveProperty('jobs')
})
