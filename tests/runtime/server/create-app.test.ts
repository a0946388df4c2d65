import { expect, test } from 'bun:test'
import type { OfferedModel } from '../../../src/domain/claude-models.ts'
import { loadConfig } from '../../../src/runtime/config/config.ts'
import { type AppParts, createConfiguredApp } from '../../../src/runtime/server/create-app.ts'
import { found, scriptedExecutor } from '../../support/scripted-executor.ts'

test.each([['on', 400] as const, ['off', 404] as const])(
  'with --page %s a code of a sign-in gets %s',
  async (page, status) => {
    const { config } = loadConfig({ page }, { HOME: '/nowhere' }, '/')
    const signIn = { begin: async function* () {}, enter: async () => false }
    const log = () => {}
    const app = createConfiguredApp(config, scriptedExecutor(found(1)), log, { signIn })
    const body = JSON.stringify({ id: 'one' })
    const request = new Request('http://127.0.0.1/v1/sign-in/code', { method: 'POST', body })
    expect((await app(request)).status).toBe(status)
  },
)

const start = (flags: Readonly<Record<string, string>>, parts: AppParts = {}, lines: string[] = []) => {
  const { config } = loadConfig(flags, { HOME: '/nowhere' }, '/')
  const health = { ready: false, backends: [{ name: 'claude', ready: false, isMissing: true, problem: 'No CLI.' }] }
  const log = (level: string, message: string) => lines.push(`${level} ${message}`)
  return createConfiguredApp(config, scriptedExecutor(found(1), health), log, parts)
}
const key = 'a-key-of-sixteen-letters'

test.each([
  // On loopback a page of another site might name csp by its own name.
  [{}, '127.0.0.1', 200],
  [{}, 'elsewhere.example', 403],
  [{ 'allowed-hosts': 'csp.example' }, 'csp.example', 200],
  [{ host: '192.0.2.1', 'api-keys': key }, 'elsewhere.example', 200],
  [{ host: '192.0.2.1', 'api-keys': key, 'allowed-hosts': 'csp.example' }, 'elsewhere.example', 403],
] as const)('with %j a request for the host %s gets %d', async (flags, host, status) => {
  const headers = { host, authorization: `Bearer ${key}` }
  const reply = await start(flags)(new Request(`http://${host}/v1/search?q=seals`, { headers }))
  expect(reply.status).toBe(status)
})

test.each([
  [{}, 200],
  [{ host: '127.0.0.1,192.0.2.1' }, 401],
] as const)('with %j and no key in its file a search without one gets %d', async (flags, status) => {
  const keyRing = { keys: async () => [], limitsOf: () => undefined }
  const budget = { reserve: async () => ({ settle: async () => {} }) }
  const app = start(flags, { accounts: { keyRing, budget, reserveOf: () => undefined } as never })
  expect((await app(new Request('http://127.0.0.1/v1/search?q=seals'))).status).toBe(status)
})

test('a gateway alone lacks no CLI, and no problem is logged; without a gateway it is', async () => {
  const lines: string[] = []
  const gateway = { upstreams: [], health: () => [] } as never
  const health = new Request('http://127.0.0.1/health')
  await start({}, { gateway }, lines)(health.clone() as Request)
  expect(lines.filter((line) => line.startsWith('warning'))).toEqual([])
  await start({}, {}, lines)(health)
  expect(lines.filter((line) => line.startsWith('warning'))).toEqual(['warning claude: No CLI.'])
})

test.each([
  ['on', true],
  ['off', false],
])('with --page %s there is a page for people: %p', async (page, isThere) => {
  const reply = await start({ page })(new Request('http://127.0.0.1/', { headers: { accept: 'text/html' } }))
  expect([reply.status, reply.headers.get('content-type')?.startsWith('text/html')]).toEqual([200, isThere])
})

test('metrics name the models that the operator has chosen, those that write among them', async () => {
  const flags = { writers: 'ollama/qwen3,claude', model: 'my-model', 'search-model': 'my-search-model' }
  const call = { baseUrl: 'http://a.example', inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, milliseconds: 1 }
  const hearCalls: AppParts['hearCalls'] = (hear) => {
    for (const model of ['qwen3', 'my-model', 'my-search-model', 'another'])
      hear({ ...call, upstream: 'gateway/ollama', model })
  }
  const reply = await start(flags, { hearCalls })(new Request('http://127.0.0.1/metrics'))
  const models = Array.from(
    (await reply.text()).matchAll(/upstream_calls_total\{.*model="(.*)"\} 1/g),
    ([, name]) => name,
  )
  expect(models).toEqual(['qwen3', 'my-model', 'my-search-model', 'other'])
})

test('the models are those that the CLI offers at that moment', async () => {
  let offered: readonly OfferedModel[] = []
  const app = start({}, { offered: () => offered })
  const ids = async () => {
    const reply = await app(new Request('http://127.0.0.1/v1/models'))
    return ((await reply.json()) as { data: { id: string }[] }).data.map(({ id }) => id)
  }
  const before = await ids()
  expect(await ids()).toEqual(before)
  offered = [{ name: 'novel', fullName: 'claude-novel-9', title: 'Novel 9' }]
  expect(await ids()).not.toEqual(before)
})
