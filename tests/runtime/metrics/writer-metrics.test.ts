import { afterEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { messagesServer } from '../../../packages/gateway/test/support/messages-server.ts'
import { configSchema } from '../../../src/runtime/config/settings.ts'
import { openComposition } from '../../../src/runtime/server/composition.ts'
import { createConfiguredApp } from '../../../src/runtime/server/create-app.ts'
import { serveApi } from '../../executor/backends/http/api-server.ts'
import { metricValue, parseMetrics } from '../../support/prometheus-text.ts'
import { scratchHome } from '../../support/real-claude.ts'

const open: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close()
})

test('the calls of a writer are counted as those of its upstream, with its model and its tokens', async () => {
  const home = await scratchHome()
  const searx = serveApi(() =>
    Response.json({ results: [{ url: 'https://a.example/', title: 'A', content: 'Seals.' }] }),
  )
  const model = messagesServer('succeed')
  open.push(
    async () => home[Symbol.asyncDispose](),
    async () => searx[Symbol.asyncDispose](),
    model.stop,
  )
  const settings = { backends: 'searxng', searxngUrl: searx.url, writers: 'local/qwen3', pages: 'off' }
  const gateway = [{ name: 'local', url: model.url, shape: 'native' }]
  const folders = { cacheDir: join(home.path, 'cache'), stateDir: join(home.path, 'state') }
  const config = {
    ...configSchema.parse({ ...settings, gateway: JSON.stringify(gateway) }),
    ...{ ...folders, keyFile: join(home.path, 'keys.json') },
  }
  const composition = openComposition(config, {}, () => {})
  open.push(composition.close)
  const app = createConfiguredApp(config, composition.executor, () => {}, {
    ...composition,
    gateway: await composition.gateway(),
  })
  const ask = async (path: string, init: RequestInit = {}) => {
    const response = await app(new Request(`http://127.0.0.1${path}`, init))
    expect(response.status).toBe(200)
    return response.text()
  }
  const body = { model: 'sonar-pro', messages: [{ role: 'user', content: 'How do seals live?' }] }
  const headers = { 'content-type': 'application/json' }
  await ask('/chat/completions', { method: 'POST', headers, body: JSON.stringify(body) })
  const families = parseMetrics(await ask('/metrics'))
  const labels = { upstream: 'local', model: 'qwen3' }
  expect(metricValue(families, 'csp_upstream_calls_total', labels)).toBe(1)
  expect(metricValue(families, 'csp_upstream_tokens_total', { ...labels, kind: 'output' })).toBeGreaterThan(0)
})
