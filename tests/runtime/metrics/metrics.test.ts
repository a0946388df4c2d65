import { describe, expect, test } from 'bun:test'
import type { AppOptions } from '../../../src/app.ts'
import { SearchError } from '../../../src/domain/error.ts'
import type { ExecutorHealth } from '../../../src/domain/health.ts'
import { createMetrics, type MetricsOptions } from '../../../src/runtime/metrics/metrics.ts'
import { asks, fixedNow, testApp } from '../../api/test-app.ts'
import { metricValue, parseMetrics } from '../../support/prometheus-text.ts'
import { answered, found, type ScriptedExecutor, scriptedExecutor } from '../../support/scripted-executor.ts'

const known = { backends: ['scripted', 'claude', 'brave'], models: ['sonnet', 'haiku'] }

/** The app with its metrics, over an executor with a script. */
function measuredApp(
  executor: ScriptedExecutor = scriptedExecutor(({ want }) => (want === 'results' ? found(3) : answered)),
  options: Partial<AppOptions> = {},
  more: Partial<MetricsOptions> = {},
) {
  const metrics = createMetrics({ executor, version: '1.2.3', known, now: () => fixedNow, ...more })
  const app = testApp(executor, { metrics, ...options })
  const scrape = async (headers: Record<string, string> = {}) => {
    const reply = await app.request('/metrics', { headers })
    const text = await reply.text()
    return { status: reply.status, type: reply.headers.get('content-type'), text, headers: reply.headers }
  }
  return { ...app, metrics, scrape, read: async () => parseMetrics((await scrape()).text) }
}

describe('GET /metrics', () => {
  test('is in the text format of Prometheus, with the type that says so', async () => {
    const { scrape, get } = measuredApp()
    await get('/v1/search?q=bees')
    const { status, type, text } = await scrape()
    expect([status, type]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
    const families = parseMetrics(text)
    expect(families.size).toBeGreaterThan(40)
    expect([...families.keys()].filter((name) => !name.startsWith('csp_'))).toEqual([])
    expect(metricValue(families, 'csp_info', { version: '1.2.3' })).toBe(1)
  })

  test('counts what happens in the background', async () => {
    const jobs = { counts: async () => ({ queued: 2, running: 1 }) }
    const { read } = measuredApp(undefined, {}, { jobs })
    const families = await read()
    expect(metricValue(families, 'csp_jobs', { state: 'queued' })).toBe(2)
    expect(metricValue(families, 'csp_jobs', { state: 'running' })).toBe(1)
  })

  test('counts requests by route, dialect and status, and what failed by its code', async () => {
    const { get, post, request, read } = measuredApp()
    for (const query of ['bees', 'seals']) await get(`/v1/search?q=${query}`)
    await post('/v1/chat/completions', asks('What do bees eat?', { model: 'sonar-pro' }))
    await get('/v1/search')
    await request('/nothing/here')
    const families = await read()
    const of = (labels: Record<string, string>) => metricValue(families, 'csp_requests_total', labels)
    expect(of({ route: '/v1/search', dialect: 'native', status: '2xx' })).toBe(2)
    expect(of({ route: '/v1/search', status: '4xx' })).toBe(1)
    expect(of({ route: '/v1/chat/completions', status: '2xx' })).toBe(1)
    expect(of({ route: 'other', status: '4xx' })).toBe(1)
    expect(metricValue(families, 'csp_failures_total', { dialect: 'native', code: 'invalid-request' })).toBe(1)
    const labels = { route: '/v1/search', effort: 'fast', backend: 'scripted' }
    expect(metricValue(families, 'csp_request_duration_seconds_count', { ...labels, backend: '' })).toBe(2)
    const phase = { phase: 'upstream', effort: 'standard' }
    expect(metricValue(families, 'csp_request_phase_seconds_count', phase)).toBe(1)
    expect(metricValue(families, 'csp_tokens_total', { kind: 'input' })).toBeGreaterThan(0)
  })

  test('counts a stream when it has ended, with the failure behind its 200', async () => {
    const steps = [...answered.slice(0, 3), new SearchError('failed', 'broken')]
    const { request, read } = measuredApp(scriptedExecutor(steps))
    const body = JSON.stringify(asks('What do bees eat?', { model: 'sonar-pro', stream: true }))
    await (await request('/v1/chat/completions', { method: 'POST', body })).text()
    const families = await read()
    expect(metricValue(families, 'csp_requests_total', { route: '/v1/chat/completions', status: '2xx' })).toBe(1)
    expect(metricValue(families, 'csp_failures_total', { code: 'failed' })).toBe(1)
  })

  test('counts itself, and its own request is logged like one for /health', async () => {
    const { scrape, read } = measuredApp()
    await scrape()
    expect(metricValue(await read(), 'csp_requests_total', { route: '/metrics', status: '2xx' })).toBe(1)
  })

  test('has no more series after a thousand strange paths, models and headers, and none of their words', async () => {
    const { request, scrape } = measuredApp()
    const ask = async (word: string) => {
      await request(`/${word}`)
      await request(`/r/https://${word}.example/${word}`)
      await request(`/v1/models/${word}`)
      await request(`/search/${word}`, { method: 'POST', body: JSON.stringify({ query: word }) })
      await request(`/v1/search?q=${word}`, { headers: { 'user-agent': word } })
      const body = JSON.stringify(asks(word, { model: `claude-${word}` }))
      await request('/v1/chat/completions', { method: 'POST', body, headers: { 'x-request-id': word } })
    }
    const seriesOf = (text: string) => text.split('\n').filter((line) => line !== '' && !line.startsWith('#')).length
    await ask('strange-first')
    await scrape()
    const before = seriesOf((await scrape()).text)
    for (let at = 0; at < 1000; at++) await request(`/strange-${at}/${at}?strange=${at}`)
    for (let at = 0; at < 40; at++) await ask(`strange-${at}`)
    const { text } = await scrape()
    expect(seriesOf(text)).toBe(before)
    expect(text).not.toContain('strange')
    expect(text).not.toContain('://')
  })
})

describe('who may read the metrics', () => {
  test('with keys set nobody without one, and no key stands in them', async () => {
    const { scrape } = measuredApp(undefined, { keys: ['a-secret-key'] })
    expect((await scrape()).status).toBe(401)
    expect((await scrape({ authorization: 'Bearer wrong' })).status).toBe(401)
    const { status, text } = await scrape({ authorization: 'Bearer a-secret-key' })
    expect(status).toBe(200)
    expect(text).not.toContain('a-secret-key')
    expect(text).not.toContain('key-1')
  })

  test('without keys nobody who comes through a proxy', async () => {
    const { scrape } = measuredApp()
    expect((await scrape({ 'x-forwarded-for': '192.0.2.1' })).status).toBe(403)
    expect((await scrape()).status).toBe(200)
  })

  test('an app without metrics has nothing there', async () => {
    expect((await testApp().get('/metrics')).status).toBe(404)
  })
})

describe('the state of everything', () => {
  const health: ExecutorHealth = {
    ready: false,
    backends: [
      {
        name: 'claude',
        ready: false,
        signedIn: false,
        breaker: { state: 'open', failures: 5, retryAt: '2026-11-20T10:01:00Z' },
        queue: { running: 3, waiting: 7, concurrency: 3, capacity: 100, oldestWaitSeconds: 4 },
        rateLimit: {
          status: 'allowed_warning',
          windows: [
            { window: 'five_hour', utilization: 0.91, resetsAt: '2026-11-20T12:00:00Z' },
            { window: 'seven_day', utilization: 1, status: 'rejected', resetsAt: '2026-11-20T09:00:00Z' },
          ],
        },
      },
      { name: 'brave', ready: true },
    ],
    cache: { hits: 1, stale: 0, misses: 2, problem: '/home/somebody/cache is full' },
    budget: {
      limits: [{ kind: 'searches', window: 'day', limit: 500, used: 20, left: 480, resetsAt: '2026-11-21T00:00:00Z' }],
    },
  }

  test('is told by login, breaker, queue, windows of the usage limit, budget and storage', async () => {
    const { read, scrape } = measuredApp(scriptedExecutor(found(1), health))
    const families = await read()
    const claude = { backend: 'claude' }
    const table: readonly (readonly [string, Record<string, string>, number | undefined])[] = [
      ['csp_ready', {}, 0],
      ['csp_backend_ready', claude, 0],
      ['csp_backend_ready', { backend: 'brave' }, 1],
      ['csp_backend_signed_in', claude, 0],
      ['csp_backend_signed_in', { backend: 'brave' }, undefined],
      ['csp_breaker_state', { ...claude, state: 'open' }, 1],
      ['csp_breaker_state', { ...claude, state: 'closed' }, 0],
      ['csp_breaker_failures', claude, 5],
      ['csp_queue_running', claude, 3],
      ['csp_queue_waiting', claude, 7],
      ['csp_queue_capacity', claude, 100],
      ['csp_queue_oldest_wait_seconds', claude, 4],
      ['csp_usage_limit_used_ratio', { window: 'five_hour' }, 0.91],
      ['csp_usage_limit_reset_timestamp_seconds', { window: 'five_hour' }, Date.parse('2026-11-20T12:00:00Z') / 1000],
      ['csp_usage_limit_reached', { window: 'five_hour' }, 0],
      ['csp_budget_limit', { kind: 'searches', window: 'day' }, 500],
      ['csp_budget_used', { kind: 'searches', window: 'day' }, 20],
      ['csp_storage_failing', { store: 'cache' }, 1],
      ['csp_storage_failing', { store: 'ledger' }, 0],
    ]
    for (const [name, labels, value] of table) {
      expect([name, labels, metricValue(families, name, labels)]).toEqual([name, labels, value])
    }
    expect((await scrape()).text).not.toContain('somebody')
  })

  test('has a window of the usage limit that has ended as unused', async () => {
    const { read } = measuredApp(scriptedExecutor(found(1), health))
    const window = { backend: 'claude', window: 'seven_day' }
    expect(metricValue(await read(), 'csp_usage_limit_used_ratio', window)).toBe(0)
    expect(metricValue(await read(), 'csp_usage_limit_reached', window)).toBe(0)
  })

  test('has the window of the usage limit that is used up, and not the others', async () => {
    const five = { window: 'five_hour', utilization: 0.4, resetsAt: '2026-11-20T12:00:00Z' }
    const opus = { window: 'seven_day_opus', resetsAt: '2026-11-24T12:00:00Z' }
    const rateLimit = { ...opus, status: 'rejected', windows: [five, { ...opus, utilization: 1 }] }
    const backends = [{ name: 'claude', ready: true, rateLimit }]
    const families = await measuredApp(scriptedExecutor(found(1), { ready: true, backends })).read()
    const of = (name: string, window: string) => metricValue(families, `csp_usage_limit_${name}`, { window })
    expect([of('reached', 'five_hour'), of('reached', 'seven_day_opus')]).toEqual([0, 1])
    expect([of('used_ratio', 'five_hour'), of('used_ratio', 'seven_day_opus')]).toEqual([0.4, 1])
  })

  test('has the link to an edge where there is one', async () => {
    const tunnel = () => ({
      url: 'https://edge.example',
      home: 'desk',
      connected: true,
      roundTripMs: 40,
      running: 0,
      served: 1,
    })
    const families = await measuredApp(undefined, {}, { tunnel }).read()
    expect(metricValue(families, 'csp_tunnel_connected')).toBe(1)
    expect(metricValue(families, 'csp_tunnel_round_trip_seconds')).toBe(0.04)
    expect(metricValue(await measuredApp().read(), 'csp_tunnel_connected')).toBeUndefined()
  })

  test('has the memory of this process, in bytes', async () => {
    const families = await measuredApp().read()
    expect(metricValue(families, 'csp_process_resident_memory_bytes')).toBeGreaterThan(1_000_000)
    expect(metricValue(families, 'csp_event_loop_lag_seconds')).toBeGreaterThanOrEqual(0)
    expect(metricValue(families, 'csp_process_start_time_seconds')).toBeGreaterThan(1_600_000_000)
  })
})

describe('what the gateway spent', () => {
  const call = { baseUrl: 'https://secret.example/v1', inputTokens: 100, cachedInputTokens: 60, outputTokens: 7 }

  test('stands by upstream and by configured model, without its address', async () => {
    const { metrics, scrape } = measuredApp()
    metrics.observeCall({ ...call, upstream: 'brave', model: 'haiku', milliseconds: 1500 })
    metrics.observeCall({ ...call, upstream: 'brave', model: 'a-name-of-a-caller', milliseconds: 10 })
    metrics.observeCall({ ...call, upstream: 'brave', model: 'claude-opus-4-7-a-caller', milliseconds: 10 })
    const { text } = await scrape()
    const families = parseMetrics(text)
    const labels = { upstream: 'brave', model: 'haiku' }
    expect(metricValue(families, 'csp_upstream_calls_total', labels)).toBe(1)
    expect(metricValue(families, 'csp_upstream_call_duration_seconds_sum', labels)).toBe(1.5)
    expect(metricValue(families, 'csp_upstream_tokens_total', { ...labels, kind: 'cached' })).toBe(60)
    expect(metricValue(families, 'csp_upstream_calls_total', { upstream: 'brave', model: 'other' })).toBe(1)
    expect(metricValue(families, 'csp_upstream_calls_total', { upstream: 'brave', model: 'opus' })).toBe(1)
    expect(text).not.toMatch(/secret|a-caller/)
  })
})
