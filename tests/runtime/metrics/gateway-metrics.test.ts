import { afterEach, expect, test } from 'bun:test'
import { createGateway } from '@csp/gateway/gateway'
import { createUpstreamStack } from '@csp/gateway/layers/stack'
import { nativeUpstream } from '@csp/gateway/native/native'
import { type MessagesServer, messagesServer } from '../../../packages/gateway/test/support/messages-server.ts'
import { createApp } from '../../../src/app.ts'
import { createMetrics } from '../../../src/runtime/metrics/metrics.ts'
import { fakeExecutor } from '../../support/fake-executor.ts'
import { metricValue, parseMetrics } from '../../support/prometheus-text.ts'

let server: MessagesServer | undefined
afterEach(() => server?.stop())

test('the gateway counts its replies by upstream and by the models that its configuration names', async () => {
  server = messagesServer('succeed')
  const inner = nativeUpstream({ name: 'ollama', baseUrl: `${server.url}/v1`, key: 'key-of-the-upstream' })
  const stack = createUpstreamStack({ upstream: inner, native: async () => inner })
  const patterns = [['*sonnet*', 'qwen3:14b']] as const
  const gateway = createGateway({ upstreams: [{ name: 'ollama', isAnthropic: false, patterns, ...stack }] })
  const executor = fakeExecutor()
  const metrics = createMetrics({ executor, gateway, version: '1', known: { backends: ['fake'], models: ['sonnet'] } })
  const app = createApp({ executor, gateway, metrics, onUpstreamCall: metrics.observeCall, version: '1' })
  for (const model of ['claude-sonnet-4-5', 'claude-sonnet-4-5', 'words-of-a-caller']) {
    const body = JSON.stringify({ model, max_tokens: 9, stream: true, messages: [{ role: 'user', content: 'bees' }] })
    const response = await app.request('/v1/messages', { method: 'POST', body })
    expect(response.status).toBe(200)
    await response.text()
  }
  const text = await (await app.request('/metrics')).text()
  const families = parseMetrics(text)
  const configured = { upstream: 'ollama', model: 'qwen3:14b' }
  expect(metricValue(families, 'csp_upstream_calls_total', configured)).toBe(2)
  expect(metricValue(families, 'csp_upstream_calls_total', { upstream: 'ollama', model: 'other' })).toBe(1)
  expect(metricValue(families, 'csp_upstream_tokens_total', { ...configured, kind: 'output' })).toBeGreaterThan(0)
  expect(metricValue(families, 'csp_upstream_ready', { upstream: 'ollama' })).toBe(1)
  const request = { route: '/v1/messages', backend: 'ollama', model: 'qwen3:14b' }
  expect(metricValue(families, 'csp_request_duration_seconds_count', request)).toBe(2)
  expect(text).not.toMatch(/words-of|key-of|127\.0\.0\.1|bees/)
})
