import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eventually } from '@csp/testing/eventually'
import { createApp } from '../../src/app.ts'
import { type RunningServer, startServer } from '../../src/runtime/server/server.ts'
import { testApp } from '../api/test-app.ts'
import { freePort } from '../support/free-port.ts'
import { describeNeeding } from '../support/needs.ts'
import { nginx, type RunningNginx, startNginx } from '../support/nginx.ts'
import { found, type ScriptedExecutor, scriptedExecutor } from '../support/scripted-executor.ts'
import { getRoutes, postRoutes } from './every-route.ts'

// Without keys csp trusts all that comes over loopback, and a proxy of this machine comes over loopback for everybody.

const own = '127.0.0.1:52480'

/** What each sends to the port behind it, besides what its client sent. */
const proxies: Readonly<Record<string, Record<string, string>>> = {
  'nginx as its guides set it up': { 'x-real-ip': '203.0.113.7', connection: 'close' },
  'nginx with X-Forwarded-For alone': { 'x-forwarded-for': '203.0.113.7', connection: 'close' },
  'nginx with proxy_pass alone, called by curl': { 'user-agent': 'curl/8.5.0', connection: 'close' },
  'nginx with proxy_pass alone, called by a browser': { 'sec-fetch-mode': 'navigate', connection: 'close' },
  Caddy: { 'x-forwarded-for': '203.0.113.7', 'x-forwarded-host': 'search.example', 'x-forwarded-proto': 'https' },
  'Apache httpd': { 'x-forwarded-for': '203.0.113.7', 'x-forwarded-server': 'search.example' },
  Squid: { via: '1.1 proxy.example (squid/6.6)' },
  'a proxy by RFC 7239': { forwarded: 'for=203.0.113.7;proto=https' },
  ngrok: { 'x-forwarded-for': '203.0.113.7', 'x-forwarded-host': 'abc.ngrok-free.app', 'x-forwarded-proto': 'https' },
  'ngrok with its own headers': { 'ngrok-auth-user-email': 'ann@example.org' },
  cloudflared: { 'cf-connecting-ip': '203.0.113.7', 'cf-ray': '8a1b2c3d4e5f-AMS', 'cdn-loop': 'cloudflare' },
  'tailscale funnel': { 'x-forwarded-for': '203.0.113.7', 'x-forwarded-proto': 'https' },
  'tailscale serve': { 'tailscale-user-login': 'ann@example.org' },
  "an editor's port forwarding": { 'x-forwarded-host': 'x-52480.devtunnels.ms', 'x-forwarded-proto': 'https' },
  'a CDN': { 'true-client-ip': '203.0.113.7' },
}

describe.each(Object.entries(proxies))('%s, in front of a csp without keys,', (_, headers) => {
  test('gets 403 from every route by GET, and no search is made', async () => {
    const { request, executor } = testApp()
    for (const path of getRoutes) {
      const response = await request(path, { headers: { host: own, ...headers } })
      expect([path, response.status]).toEqual([path, 403])
      expect(await response.text()).toContain('csp keys add')
    }
    expect(executor.calls).toHaveLength(0)
  })

  test('gets 403 from every route by POST, and no search is made', async () => {
    const { request, executor } = testApp()
    for (const { path, body } of postRoutes) {
      const response = await request(path, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { host: own, 'content-type': 'application/json', ...headers },
      })
      expect([path, response.status]).toEqual([path, 403])
      expect(await response.text()).toContain('csp keys add')
    }
    expect(executor.calls).toHaveLength(0)
  })

  test('is let through with the right key, and a wrong key gets another error', async () => {
    const { get, executor } = testApp(undefined, { keys: ['secret'] })
    expect((await get('/v1/search?q=bees', { host: own, ...headers })).status).toBe(401)
    expect((await get('/v1/search?q=bees', { host: own, ...headers, 'x-api-key': 'wrong' })).status).toBe(401)
    expect((await get('/v1/search?q=bees', { host: own, ...headers, 'x-api-key': 'secret' })).status).toBe(200)
    expect(executor.calls).toHaveLength(1)
  })
})

test.each([
  ['curl', { 'user-agent': 'curl/8.5.0', accept: '*/*' }],
  ['Python’s urllib', { 'user-agent': 'Python-urllib/3.12', connection: 'close', 'accept-encoding': 'identity' }],
  ['node-fetch 2', { 'user-agent': 'node-fetch/1.0', connection: 'close' }],
  ['fetch of node', { 'user-agent': 'node', 'sec-fetch-mode': 'cors', connection: 'keep-alive' }],
  ['an OpenAI client', { 'user-agent': 'OpenAI/JS 7', 'x-stainless-os': 'Linux', connection: 'keep-alive' }],
  ['a client of an AI gateway', { 'cf-aig-metadata': '{"user":1}', 'x-ms-client-request-id': '1' }],
])('%s on this machine needs no key', async (_, headers) => {
  const { get } = testApp()
  expect((await get('/v1/search?q=bees', { host: own, ...headers })).status).toBe(200)
})

test('a refusal of a proxied request has the envelope of its vendor and says what to do', async () => {
  const { get, post } = testApp()
  const headers = { host: own, 'x-forwarded-for': '203.0.113.7' }
  const text = expect.stringMatching(/proxy .*x-forwarded-for.*csp keys add NAME.*Bearer/)
  const chat = await post('/v1/chat/completions', { messages: [{ role: 'user', content: 'bees' }] }, headers)
  expect(chat.body.error).toMatchObject({ type: 'permission_error', message: text })
  expect((await get('/res/v1/web/search?q=bees', headers)).body.error).toMatchObject({
    code: 'FORBIDDEN',
    detail: text,
  })
  const messages = await post('/v1/messages', {}, { ...headers, 'anthropic-version': '2023-06-01' })
  expect(messages.body).toMatchObject({ type: 'error', error: { type: 'permission_error', message: text } })
})

test('/health through a proxy gives only the reason of the refusal, and later shows it to the owner', async () => {
  const { get } = testApp()
  expect((await get('/health', { host: own })).body).not.toHaveProperty('refused_proxy')
  const { status, body } = await get('/health', { host: own, 'x-forwarded-for': '203.0.113.7' })
  expect(status).toBe(503)
  expect(body).toEqual({ status: 'down', problem: expect.stringContaining('csp keys add') })
  expect((await get('/health', { host: own })).body).not.toHaveProperty('refused_proxy')
  await get('/v1/models', { host: own, via: '1.1 squid' })
  expect((await get('/health', { host: own })).body.refused_proxy).toEqual({
    at: '2026-11-20T10:00:00.000Z',
    problem: expect.stringContaining('the header via'),
  })
})

describeNeeding('nginx', nginx !== undefined)('a real nginx', () => {
  let executor: ScriptedExecutor
  let csp: RunningServer
  let proxy: RunningNginx
  const [bare, usual] = [freePort(), freePort()]

  beforeAll(async () => {
    executor = scriptedExecutor(() => found(3))
    const app = createApp({ executor, version: '1.2.3' })
    csp = await startServer((request, connection) => app.fetch(request, { connection }), '127.0.0.1', 0)
    const server = (port: string, more: string) =>
      `server { listen 127.0.0.1:${port}; location / { proxy_pass ${csp.url}; ${more} } }`
    const forwarded = 'proxy_set_header X-Real-IP $remote_addr; proxy_set_header X-Forwarded-For $remote_addr;'
    proxy = startNginx(`${server(bare, '')} ${server(usual, forwarded)}`)
    await eventually(
      async () => (await fetch(`http://127.0.0.1:${bare}/health/live`).catch(() => undefined))?.ok === true,
    )
  })

  afterAll(async () => {
    await proxy.stop()
    await csp.stop(AbortSignal.abort())
  })

  test('with forwarding headers causes no search', async () => {
    const reply = await fetch(`http://127.0.0.1:${usual}/v1/search?q=bees`)
    expect([reply.status, await reply.text()]).toEqual([403, expect.stringContaining('csp keys add')])
    expect(executor.calls).toHaveLength(0)
  })

  test('with proxy_pass alone is detected when called by curl or a browser', async () => {
    for (const headers of [{ 'user-agent': 'curl/8.5.0' }, { 'sec-fetch-mode': 'navigate' }]) {
      const reply = await fetch(`http://127.0.0.1:${bare}/v1/search?q=bees`, { headers })
      expect([reply.status, await reply.text()]).toEqual([403, expect.stringContaining('csp keys add')])
    }
    expect(executor.calls).toHaveLength(0)
  })
})
