import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { createApp, createHomeApp } from '../../../src/app.ts'
import { remote } from '../../../src/executor/backends/remote/remote.ts'
import { queued } from '../../../src/executor/layers/resilience/queued.ts'
import { createGateway } from '../../../src/gateway/gateway.ts'
import { createUpstreamStack } from '../../../src/gateway/layers/stack.ts'
import { anthropic } from '../../../src/gateway/native/native.ts'
import { loadConfig } from '../../../src/runtime/config/config.ts'
import type { Environment } from '../../../src/runtime/shell/shell.ts'
import { openTelemetry } from '../../../src/runtime/telemetry/telemetry.ts'
import { messagesServer } from '../../gateway/support/messages-server.ts'
import { fails, fakeExecutor } from '../../support/fake-executor.ts'
import { found, scriptedExecutor } from '../../support/scripted-executor.ts'

interface SentSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, string> }[]
  readonly status: { readonly code?: number }
}

/** A collector of OTLP in JSON, as far as csp needs one. */
let bodies: { readonly path: string; readonly headers: Headers; readonly text: string }[] = []
let status = 200
const collector = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    bodies.push({ path: new URL(request.url).pathname, headers: request.headers, text: await request.text() })
    return new Response('{}', { status })
  },
})
const endpoint = `http://127.0.0.1:${collector.port}`
afterAll(() => collector.stop(true))
beforeEach(() => {
  bodies = []
  status = 200
})

function spans(): readonly SentSpan[] {
  return bodies.flatMap(({ text }) => JSON.parse(text).resourceSpans[0].scopeSpans[0].spans)
}

function attribute(span: SentSpan | undefined, key: string): string | undefined {
  return Object.values(span?.attributes.find((each) => each.key === key)?.value ?? {})[0]
}

function telemetry(environment: Environment, log: (message: string) => void = () => {}) {
  const { config } = loadConfig({}, { HOME: '/nowhere', ...environment }, '/')
  const opened = openTelemetry(config, environment, (_, message) => log(message))
  if (!opened) throw new Error('No telemetry.')
  return opened
}

const trace = '0af7651916cd43dd8448eb211c80319c'
const traceparent = `00-${trace}-b7ad6b7169203331-01`

describe('a search that is followed', () => {
  test('is one trace from its caller over the queue and the backend to the csp that it asks', async () => {
    const { tracer, close } = telemetry({
      OTEL_EXPORTER_OTLP_ENDPOINT: `${endpoint}/`,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-team=search%20team,x-key=k',
      OTEL_SERVICE_NAME: 'csp-of-mine',
    })
    const far = createHomeApp({ executor: scriptedExecutor(found(3)), version: '1', tracer })
    const asked = remote({ fetcher: { fetch: async (request) => far.fetch(request) } })
    const app = createApp({ executor: queued({})(asked), version: '1', tracer, keys: ['secret-key'] })
    const headers = { traceparent, authorization: 'Bearer secret-key' }
    expect((await app.request('/v1/search?q=secret+seals', { headers })).status).toBe(200)
    await app.request('/health', { headers })
    await close()

    const [{ path, headers: sent } = { path: '', headers: new Headers() }] = bodies
    expect([path, sent.get('x-team'), sent.get('x-key')]).toEqual(['/v1/traces', 'search team', 'k'])
    const byName = new Map(spans().map((span) => [span.name, span]))
    expect([...byName.keys()].toSorted()).toEqual(['GET /v1/search', 'POST /execute', 'backend remote', 'queue'])
    expect(new Set(spans().map(({ traceId }) => traceId))).toEqual(new Set([trace]))
    const near = byName.get('GET /v1/search')
    expect(near).toMatchObject({ parentSpanId: 'b7ad6b7169203331', kind: 2, status: {} })
    for (const name of ['queue', 'backend remote', 'POST /execute']) {
      expect(byName.get(name)?.parentSpanId).toBe(near?.spanId ?? '')
    }
    expect(byName.get('backend remote')?.kind).toBe(3)
    expect([attribute(near, 'http.route'), attribute(near, 'csp.results')]).toEqual(['/v1/search', '3'])
    for (const { startTimeUnixNano: from, endTimeUnixNano: to } of spans()) {
      expect(BigInt(to) >= BigInt(from)).toBe(true)
      expect(Math.abs(Number(BigInt(from) / 1_000_000n) - Date.now())).toBeLessThan(60_000)
    }
    const text = bodies.map((body) => body.text).join('')
    expect(text).toContain('"stringValue":"csp-of-mine"')
    expect(text).not.toMatch(/seals|secret/)
  })

  test('holds its query where that is asked for, and says that it failed', async () => {
    const { tracer, close } = telemetry({ CSP_OTEL_ENDPOINT: endpoint, CSP_OTEL_QUERIES: 'yes' })
    const app = createApp({ executor: fakeExecutor(fails('unavailable')), version: '1', tracer })
    await app.request('/v1/search?q=grey+seals')
    await close()
    const [span] = spans()
    expect(span).toMatchObject({ status: { code: 2 } })
    expect(span?.parentSpanId).toBeUndefined()
    expect([attribute(span, 'csp.query'), attribute(span, 'error.type')]).toEqual(['grey seals', 'unavailable'])
  })

  test('is not followed where its caller wants that, and a header that is none begins a trace of its own', async () => {
    const { tracer, close } = telemetry({ CSP_OTEL_ENDPOINT: endpoint })
    const app = createApp({ executor: scriptedExecutor(found(1)), version: '1', tracer })
    await app.request('/v1/search?q=bees', { headers: { traceparent: traceparent.replace(/01$/, '00') } })
    await app.request('/v1/search?q=wasps', { headers: { traceparent: '00-nonsense' } })
    await close()
    expect(spans()).toHaveLength(1)
    expect(spans()[0]?.traceId).toMatch(/^(?!0af7)[0-9a-f]{32}$/)
  })

  test('passes the trace of its caller on without a collector, too', async () => {
    const seen: (string | null)[] = []
    const far = createHomeApp({ executor: scriptedExecutor(found(1)), version: '1' })
    const fetch = async (request: Request) => {
      seen.push(request.headers.get('traceparent'))
      return far.fetch(request)
    }
    const app = createApp({ executor: remote({ fetcher: { fetch } }), version: '1' })
    await app.request('/v1/search?q=bees', { headers: { traceparent } })
    await app.request('/v1/search?q=bees')
    expect(seen).toEqual([traceparent, null])
  })
})

test('a request to the gateway has a part for the reply of its upstream', async () => {
  const server = messagesServer('succeed')
  const { tracer, close } = telemetry({ CSP_OTEL_ENDPOINT: endpoint })
  const inner = anthropic({ name: 'ollama', baseUrl: `${server.url}/v1`, key: 'key-of-the-upstream' })
  const stack = createUpstreamStack({ upstream: inner, native: async () => inner })
  const gateway = createGateway({
    upstreams: [{ name: 'ollama', isAnthropic: false, patterns: [['*', 'qwen3']], ...stack }],
  })
  const app = createApp({ executor: fakeExecutor(), gateway, version: '1', tracer })
  const body = JSON.stringify({
    model: 'claude-x',
    max_tokens: 9,
    stream: true,
    messages: [{ role: 'user', content: 'bees' }],
  })
  await (await app.request('/v1/messages', { method: 'POST', body })).text()
  await close()
  await server.stop()
  const part = spans().find(({ name }) => name === 'gateway ollama')
  expect(attribute(part, 'gen_ai.request.model')).toBe('qwen3')
  expect(part?.parentSpanId).toBe(spans().find(({ name }) => name === 'POST /v1/messages')?.spanId ?? '')
  expect(bodies.map(({ text }) => text).join('')).not.toMatch(/bees|key-of/)
})

describe('a collector', () => {
  test('that refuses or is gone fails no request, and is reported once until it works again', async () => {
    const messages: string[] = []
    const { tracer, close } = telemetry({ CSP_OTEL_ENDPOINT: endpoint }, (message) => messages.push(message))
    const app = createApp({ executor: scriptedExecutor(found(1)), version: '1', tracer })
    status = 503
    expect((await app.request('/v1/search?q=bees')).status).toBe(200)
    await close()
    await app.request('/v1/search?q=bees')
    await close()
    expect(bodies).toHaveLength(2)
    expect(messages.filter((message) => message.includes('lost'))).toEqual([
      expect.stringMatching(/^Traces are lost: the collector at 127\.0\.0\.1:\d+ takes none, it replied 503\.$/),
    ])
    const gone = telemetry({ CSP_OTEL_ENDPOINT: 'http://127.0.0.1:9' }, (message) => messages.push(message))
    const other = createApp({ executor: scriptedExecutor(found(1)), version: '1', tracer: gone.tracer })
    expect((await other.request('/v1/search?q=bees')).status).toBe(200)
    await gone.close()
    expect(messages.at(-1)).toContain('it cannot be reached')
  })

  test.each([
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4317' }, 'Tracing disabled: invalid OTLP endpoint'],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: 'bad name=x' },
      'Tracing disabled: invalid OTLP headers',
    ],
  ])('that other programs may use, but not csp, stops nothing: %j', (environment, message) => {
    const messages: string[] = []
    expect(() => telemetry(environment, (text) => messages.push(text))).toThrow('No telemetry.')
    expect(messages).toEqual([expect.stringContaining(message)])
  })

  test.each([{ OTEL_SDK_DISABLED: 'true' }, { OTEL_TRACES_EXPORTER: 'none' }])(
    'gets nothing with %j',
    (environment) => {
      expect(() => telemetry({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...environment })).toThrow('No telemetry.')
    },
  )
})
