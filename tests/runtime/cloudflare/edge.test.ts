import { afterAll, afterEach, beforeAll, describe, expect, spyOn, test } from 'bun:test'
import { createEdge } from '../../../src/runtime/cloudflare/edge.ts'
import { connectPath } from '../../../src/tunnel/protocol.ts'
import { type ApiServer, serveApi } from '../../executor/backends/http/api-server.ts'
import { edgeEnvironment, type FakeBindings } from './edge-environment.ts'

// The csp of a Worker in this process. In workerd it is in tests/edge.

let searxng: ApiServer
beforeAll(() => {
  searxng = serveApi(() => {
    const results = [{ title: 'A page', url: 'https://found.example/', content: 'An excerpt.' }]
    return Response.json({ query: 'q', results, unresponsive_engines: [] })
  })
})
afterAll(() => searxng[Symbol.asyncDispose]())

const warned: string[] = []
const warn = spyOn(console, 'warn').mockImplementation((line: string) => void warned.push(line))
const info = spyOn(console, 'info').mockImplementation(() => {})
afterEach(() => {
  warned.length = 0
})
afterAll(() => {
  warn.mockRestore()
  info.mockRestore()
})

function edge(variables: Readonly<Record<string, string>> = {}, bindings: FakeBindings = {}) {
  const work: Promise<unknown>[] = []
  const usual = { CSP_API_KEYS: 'a-key', CSP_BACKENDS: 'searxng', CSP_SEARXNG_URL: searxng.url }
  const fetch = createEdge(edgeEnvironment({ ...usual, ...variables }, bindings), (one) => void work.push(one))
  const send = async (path: string, key: string | undefined, init: RequestInit = {}) => {
    const headers = { accept: 'text/html, */*', ...(key !== undefined && { authorization: `Bearer ${key}` }) }
    const reply = await fetch(new Request(`https://csp.example${path}`, { ...init, headers }))
    const text = await reply.text()
    await Promise.allSettled(work.splice(0))
    return { status: reply.status, text }
  }
  return {
    get: (path: string, key: string | undefined = 'a-key') => send(path, key),
    post: (path: string, body: unknown) => send(path, 'a-key', { method: 'POST', body: JSON.stringify(body) }),
  }
}

describe('a Worker whose settings are wrong answers every request with the reason', () => {
  test.each([
    [{ CSP_API_KEYS: '' }, 'This csp has no keys yet'],
    [{ CSP_TIMEOUT: 'soon' }, 'CSP_TIMEOUT must be'],
    [{ CSP_WRITERS: 'ollama/gemma' }, 'The writer ollama/gemma needs an upstream'],
    [
      { CSP_GATEWAY: '[{"name": "one", "url": "http://127.0.0.1:9/v1", "key-variable": "KEY_OF_ONE"}]' },
      'set KEY_OF_ONE',
    ],
  ])('%j', async (variables, reason) => {
    const { get } = edge(variables)
    for (const path of ['/v1/search?q=seals', connectPath]) {
      const { status, text } = await get(path)
      expect([status, text]).toEqual([503, expect.stringContaining(reason)])
    }
  })
})

test('a key of an upstream is found among the variables', async () => {
  const CSP_GATEWAY = '[{"name": "one", "url": "http://127.0.0.1:9/v1", "key-variable": "KEY_OF_ONE"}]'
  const { get } = edge({ CSP_GATEWAY, KEY_OF_ONE: 'k', CSP_WRITERS: 'one/gemma' })
  expect((await get('/v1/models')).status).toBe(200)
})

test('an upstream is asked at once, whatever a machine would let wait', async () => {
  const both = Promise.withResolvers<void>()
  let asked = 0
  await using model = serveApi(async ({ url }) => {
    if (!url.endsWith('/chat/completions')) return Response.json({}, { status: 404 })
    if (++asked === 2) both.resolve()
    await both.promise
    return Response.json({ error: { message: 'No.' } }, { status: 400 })
  })
  const CSP_GATEWAY = JSON.stringify([{ name: 'one', url: `${model.url}/v1`, shape: 'compatible', concurrency: 1 }])
  const { post } = edge({ CSP_GATEWAY })
  const body = { model: 'one/gemma', max_tokens: 9, messages: [{ role: 'user', content: 'Hi.' }] }
  const replies = await Promise.all([post('/v1/messages', body), post('/v1/messages', body)])
  expect(replies.map(({ status }) => status)).toEqual([400, 400])
})

test('a search that no home answers is made by the next backend, and kept in KV', async () => {
  const kept = new Map<string, string>()
  const search = async () => JSON.parse((await edge({}, { kept }).get('/v1/search?q=seals')).text)
  expect(await search()).toMatchObject({ backend: 'searxng', cached: false })
  expect(kept.size).toBe(1)
  const asked = searxng.requests.length
  expect(await search()).toMatchObject({ backend: 'searxng', cached: true })
  expect(searxng.requests).toHaveLength(asked)
  expect(warned).toEqual([])
})

test('an answer that KV refuses is given all the same, and the log says so', async () => {
  const { get } = edge({}, { refusal: 'KV put() limit exceeded for the day.' })
  expect((await get('/v1/search?q=seals')).status).toBe(200)
  expect(warned.filter((line) => line.includes('An answer was not cached: KV put() limit'))).toHaveLength(1)
})

test('a home connects at its own path, with a secret and no key', async () => {
  expect((await edge().get(connectPath, undefined)).text).toContain('CSP_CONNECT_SECRET is not set on the edge')
  const { status, text } = await edge({ CSP_CONNECT_SECRET: 'x'.repeat(16) }).get(connectPath, undefined)
  expect([status, text]).toEqual([401, expect.stringContaining('Invalid login')])
  expect((await edge().get(`${connectPath}/more`, undefined)).status).toBe(404)
})

test('the page is shown unless it is switched off', async () => {
  // Each look at the state costs requests of the objects.
  const text = expect.stringMatching(/<html.* data-refresh="30"/)
  expect(await edge().get('/', undefined)).toMatchObject({ status: 200, text })
  expect((await edge({ CSP_PAGE: 'off' }).get('/', undefined)).text).not.toContain('<html')
})
