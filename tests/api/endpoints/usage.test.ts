import { beforeAll, describe, expect, test } from 'bun:test'
import { digestOf, type KeyRing } from '../../../src/api/http/auth.ts'
import type { AppOptions } from '../../../src/app.ts'
import { Budget, type BudgetOptions } from '../../../src/executor/layers/metering/budget.ts'
import { metered } from '../../../src/executor/layers/metering/metered.ts'
import { memoryLedger } from '../../support/memory-ledger.ts'
import { found, scriptedExecutor } from '../../support/scripted-executor.ts'
import { asks, fixedNow, testApp } from '../test-app.ts'

const ringOf = async (...names: string[]): Promise<KeyRing> => {
  const keys = await Promise.all(names.map(async (name) => ({ name, digest: await digestOf(`secret of ${name}`) })))
  return { keys: async () => keys }
}
const keyOf = (name: string) => ({ authorization: `Bearer secret of ${name}` })

/** The app over a meter over a scripted executor that finds three pages. */
function meteredApp(options: Partial<BudgetOptions> = {}, rest: Partial<AppOptions> = {}) {
  const ledger = memoryLedger()
  const budget = new Budget({ ledger, now: () => fixedNow.getTime(), elapsed: () => 0, ...options })
  const rateLimit = {
    status: 'allowed_warning',
    window: 'five_hour',
    utilization: 0.9,
    resetsAt: '2026-11-20T12:00:00Z',
  }
  const backend = { name: 'claude', ready: true, rateLimit }
  const cache = { hits: 1, stale: 0, misses: 2, problem: '/a/path' }
  const inner = scriptedExecutor(found(3), { ready: true, backends: [backend, { name: 'brave', ready: true }], cache })
  return { ledger, ...testApp(undefined, { executor: metered(budget)(inner), budget, ...rest }) }
}

const nothing = { requests: 0, failures: 0, searches: 0, input_tokens: 0, output_tokens: 0, pages: 0 }
const one = { requests: 1, failures: 0, searches: 1, input_tokens: 10, output_tokens: 2, pages: 0 }
const two = { requests: 2, failures: 0, searches: 2, input_tokens: 20, output_tokens: 4, pages: 0 }

describe('the usage endpoint', () => {
  test('says when each key was last used, also before this process began, and tells a key of itself alone', async () => {
    const rest = { keyRing: await ringOf('ann', 'ben', 'cleo'), localToken: 'token' }
    const app = meteredApp({}, rest)
    await app.get('/v1/search?q=bees', keyOf('ann'))
    await app.get('/v1/search?q=seals', keyOf('ben'))
    const ann = { name: 'ann', last_used: '2026-11-20T10:00:00.000Z' }
    const ben = { name: 'ben', last_used: '2026-11-20T10:00:00.000Z' }
    const token = { authorization: 'Bearer token' }
    expect((await app.get('/v1/usage', token)).body.keys).toEqual([ann, ben, { name: 'cleo', last_used: null }])
    expect((await app.get('/v1/usage', keyOf('ann'))).body.keys).toEqual([ann])
    const later = new Budget({ ledger: app.ledger, now: () => fixedNow.getTime(), elapsed: () => 0 })
    const again = testApp(undefined, { budget: later, ...rest })
    expect((await again.get('/v1/usage', keyOf('ann'))).body.keys).toEqual([{ name: 'ann', last_used: '2026-11-20' }])
  })

  test('reports by day, by key and by backend, with all limits', async () => {
    const app = meteredApp({ limits: { searchesPerDay: 2 } }, { keyRing: undefined })
    await app.get('/v1/search?q=bees')
    await app.get('/v1/search?q=seals')
    for (const path of ['/v1/usage', '/usage']) {
      const { status, body } = await app.get(path)
      expect(status).toBe(200)
      expect(body.days).toHaveLength(7)
      expect(body).toMatchObject({ object: 'usage', key: null, time_zone: 'UTC' })
      expect(body.days[0]).toEqual({
        day: '2026-11-20',
        ...two,
        by_key: { anonymous: two },
        by_backend: { scripted: two },
      })
      expect(body.days[6]).toEqual({ day: '2026-11-14', ...nothing, by_key: {}, by_backend: {} })
      const limit = { key: null, kind: 'searches', window: 'day', limit: 2, used: 2, left: 0 }
      expect(body.limits).toEqual([{ ...limit, resets_at: '2026-11-21T00:00:00.000Z' }])
      expect(body.warning).toContain('used to 100 %')
      expect(body.backends).toEqual([
        {
          name: 'claude',
          rate_limit: {
            status: 'allowed_warning',
            window: 'five_hour',
            utilization: 0.9,
            resets_at: '2026-11-20T12:00:00Z',
          },
        },
        { name: 'brave', rate_limit: null },
      ])
      expect(body.cache).toEqual({ hits: 1, stale: 0, misses: 2 })
    }
  })

  test('does not show the usage of another key', async () => {
    const limitsOf = (name: string) => ({ searchesPerMinute: name === 'phone' ? 5 : 6 })
    const app = meteredApp({ limitsOf, limits: { searchesPerDay: 9 } }, { keyRing: await ringOf('phone', 'desk') })
    await app.get('/v1/search?q=bees', keyOf('phone'))
    await app.get('/v1/search?q=bees', keyOf('desk'))
    const { body } = await app.get('/v1/usage?days=1', keyOf('phone'))
    expect(body.key).toBe('phone')
    expect(body.days).toEqual([{ day: '2026-11-20', ...one, by_key: { phone: one }, by_backend: { scripted: one } }])
    expect(body.limits).toMatchObject([
      { key: null, limit: 9, used: 2 },
      { key: 'phone', limit: 5, used: 1 },
    ])
    expect(JSON.stringify(body)).not.toContain('desk')
  })

  test('needs a key where searches need one', async () => {
    const app = meteredApp({}, { keys: ['secret'] })
    const { status, body } = await app.get('/v1/usage')
    expect(status).toBe(401)
    expect(body.error.code).toBe('unauthorized')
  })

  test.each(['0', '32', '1.5', 'all', '-1'])('refuses a report of %s days', async (days) => {
    const { status, body } = await meteredApp().get(`/v1/usage?days=${days}`)
    expect(status).toBe(400)
    expect(body.error).toMatchObject({ code: 'invalid_request', field: 'days' })
  })

  test('does not allow POST', async () => {
    expect((await meteredApp().post('/v1/usage', {})).status).toBe(405)
  })

  test('reports no days where no usage is counted', async () => {
    const { status, body } = await testApp().get('/v1/usage')
    expect(status).toBe(200)
    expect(body).toMatchObject({ days: [], limits: [], warning: null, cache: null })
  })
})

describe('the health endpoint', () => {
  test('reports the state of the limits', async () => {
    const app = meteredApp({ limits: { searchesPerDay: 1 } })
    await app.get('/v1/search?q=bees')
    const { body } = await app.get('/health')
    expect(body.budget.limits).toMatchObject([{ key: null, kind: 'searches', window: 'day', left: 0 }])
    expect(body.budget.warning).toContain('daily limit of 1 search is')
    expect(body.budget.problem).toBeNull()
  })
})

const webSearch = { type: 'web_search_20250305', name: 'web_search' }

describe('a limit is reported in each vendor’s own shape, with Retry-After,', () => {
  const app = meteredApp({ limits: { searchesPerMinute: 1 } })
  beforeAll(() => app.get('/v1/search?q=bees'))

  test.each([
    ['/v1/search', { query: 'bees' }],
    ['/search', { query: 'bees' }],
    ['/v1/chat/completions', asks('bees', { model: 'sonar' })],
    ['/chat/completions', asks('bees', { model: 'sonar' })],
    ['/v1/messages', asks('bees', { model: 'sonnet', max_tokens: 100, tools: [webSearch] })],
    ['/res/v1/web/search', { q: 'bees' }],
    ['/tavily/search', { query: 'bees' }],
    ['/exa/search', { query: 'bees' }],
  ])('at %s', async (path, input) => {
    const { status, headers, body } = await app.post(path, input)
    expect(status).toBe(429)
    expect(headers.get('retry-after')).toBe('60')
    expect(JSON.stringify(body)).toContain("This server's limit of 1 search a minute is reached.")
  })
})
