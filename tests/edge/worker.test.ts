import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '../../src/app.ts'
import { fakeExecutor } from '../support/fake-executor.ts'
import { clientKey, type Edge, startEdge, startEdges, withKey } from './support/edge.ts'
import { startSearxng } from './support/searxng.ts'

// The Worker in workerd with nobody at home.

const routes = [
  ['/v1/search?q=a', 'error.message'],
  ['/res/v1/web/search?q=a', 'error.detail'],
  ['/v1/chat/completions', 'error.message'],
  ['/v1/messages', 'error.message'],
  ['/v1beta/models/gemini-flash-latest:generateContent', 'error.message'],
  ['/search?q=a&format=json', 'error'],
  ['/mcp', 'error.message'],
  ['/health', 'error.message'],
  ['/connect', 'error.message'],
  ['/nowhere', 'error.message'],
] as const

const searxng = startSearxng()
const lonely = await startEdge({ variables: { CSP_ALLOWED_ORIGINS: 'https://app.example' } })
const helped = await withSearxng(searxng.url)
const [keyless, misnamed, timeless, unpaid, wordless, broken, brokenAlone] = await startEdges(
  { variables: { CSP_API_KEYS: '' } },
  { variables: { CSP_API_KEYS: 'two words' } },
  { variables: { CSP_CACHE_TTL: 'long' } },
  { variables: { CSP_BACKENDS: 'brave' } },
  { variables: { CSP_WRITERS: 'ollama/x' } },
  { broken: 'HOMES', variables: { CSP_BACKENDS: 'searxng', CSP_SEARXNG_URL: searxng.url } },
  { broken: 'HOMES' },
)
afterAll(() => Promise.all([lonely.stop(), helped.stop(), keyless.stop(), searxng.stop()]))

describe('access to the Worker', () => {
  test.each([
    [{ CSP_API_KEYS: '' }, keyless, 'npx wrangler secret put CSP_API_KEYS'],
    [{ CSP_API_KEYS: 'two words' }, misnamed, 'CSP_API_KEYS must be keys without spaces'],
    [{ CSP_CACHE_TTL: 'long' }, timeless, 'CSP_CACHE_TTL must be a time'],
    [{ CSP_BACKENDS: 'brave' }, unpaid, 'BRAVE_API_KEY'],
    [{ CSP_WRITERS: 'ollama/x' }, wordless, 'The writer ollama/x needs an upstream'],
  ])('with %p every route says what to set, in its own words', async (_, edge, said) => {
    for (const [path, place] of routes) {
      const method = /completions|messages|mcp|Content/.test(path) ? 'POST' : 'GET'
      const response = await fetch(`${edge.url}${path}`, { method, headers: withKey })
      // Anthropic's word for it is 529.
      expect([503, 529]).toContain(response.status)
      const text = await response.text()
      expect(JSON.parse(text)).toHaveProperty(place, expect.stringContaining(said))
      // What cannot be may be a secret all the same.
      expect(text).not.toContain('two words')
    }
  })

  test('a wrong or missing key is rejected, in each header that vendors use', async () => {
    const headers = [
      {},
      { authorization: 'Bearer wrong' },
      { authorization: `Bearer ${clientKey}x` },
      { 'x-api-key': 'wrong' },
      { 'x-subscription-token': 'wrong' },
      { 'x-goog-api-key': 'wrong' },
    ]
    for (const wrong of headers) {
      expect((await fetch(`${lonely.url}/v1/search?q=a`, { headers: wrong })).status).toBe(401)
      expect((await fetch(`${lonely.url}/v1/usage`, { headers: wrong })).status).toBe(401)
      expect(await (await fetch(`${lonely.url}/health`, { headers: wrong })).json()).toEqual({ status: 'down' })
    }
    for (const right of [
      withKey,
      ...['x-api-key', 'x-subscription-token', 'x-goog-api-key'].map((name) => ({ [name]: clientKey })),
    ]) {
      expect((await fetch(`${lonely.url}/v1/models`, { headers: right })).status).toBe(200)
    }
  })

  test('a web page is allowed only if its origin is configured', async () => {
    const from = (origin: string) => fetch(`${lonely.url}/v1/models`, { headers: { ...withKey, origin } })
    expect((await from('https://app.example')).headers.get('access-control-allow-origin')).toBe('https://app.example')
    expect((await from('https://other.example')).status).toBe(403)
  })
})

describe('when no home is connected', () => {
  test('each vendor gets its own error format with a retry time', async () => {
    const brave = await fetch(`${lonely.url}/res/v1/web/search?q=bees`, { headers: withKey })
    expect(brave.status).toBe(503)
    expect(brave.headers.get('retry-after')).toBe('5')
    expect(await brave.json()).toMatchObject({
      type: 'ErrorResponse',
      error: { detail: expect.stringContaining('No home is connected.') },
    })
    for (const stream of [true, false]) {
      const body = JSON.stringify({ model: 'sonar', stream, messages: [{ role: 'user', content: 'bees' }] })
      const openai = await fetch(`${lonely.url}/v1/chat/completions`, { method: 'POST', headers: withKey, body })
      expect(openai.status).toBe(503)
      expect(await openai.json()).toMatchObject({
        error: { type: 'server_error', message: expect.stringContaining('No home is connected.') },
      })
    }
    const health = await fetch(`${lonely.url}/health`, { headers: withKey })
    expect(health.status).toBe(503)
    expect(await health.json()).toMatchObject({ backends: [{ name: 'home', ready: false }] })
  })

  test('another backend answers and is named in the reply; a written answer consists of its excerpts', async () => {
    const list = await fetch(`${helped.url}/v1/search?q=bees`, { headers: withKey })
    expect(list.headers.get('x-csp-backend')).toBe('searxng')
    expect(await list.json()).toMatchObject({ results: [{ title: 'On bees', source: 'searxng' }] })
    const body = JSON.stringify({ model: 'sonar', stream: true, messages: [{ role: 'user', content: 'wasps' }] })
    const answer = await fetch(`${helped.url}/v1/chat/completions`, { method: 'POST', headers: withKey, body })
    expect(await answer.text()).toContain('An excerpt.')
    expect(await (await fetch(`${helped.url}/health`, { headers: withKey })).json()).toMatchObject({
      status: 'degraded',
    })
  })

  test.each([
    ['/v7.0/search?q=bees', { 'ocp-apim-subscription-key': clientKey }, 'webPages.value[0].name'],
    [`/customsearch/v1?q=bees&key=${clientKey}`, {}, 'items[0].title'],
    [`/search.json?q=bees&api_key=${clientKey}`, {}, 'organic_results[0].title'],
    [`/serper/news?q=bees&apiKey=${clientKey}`, {}, 'news[0].title'],
  ])('%s takes the key where its vendor has it, and answers', async (path, headers: Record<string, string>, title) => {
    const response = await fetch(`${helped.url}${path}`, { headers })
    expect(response.status).toBe(200)
    expect(await response.json()).toHaveProperty(title, 'On bees')
    expect((await fetch(`${helped.url}${path.replace(clientKey, 'wrong')}`)).status).toBeGreaterThanOrEqual(400)
  })

  test('the requested count of results is respected without a home', async () => {
    const response = await fetch(`${helped.url}/res/v1/web/search?q=wasps&count=1`, { headers: withKey })
    expect(await response.json()).toHaveProperty('web.results.length', 1)
  })
})

test.each([false, true])(
  'when the Durable Object of homes throws, another backend answers (stream: %p)',
  async (stream) => {
    const body = JSON.stringify({ model: 'sonar', stream, messages: [{ role: 'user', content: 'wasps' }] })
    const answer = await fetch(`${broken.url}/v1/chat/completions`, { method: 'POST', headers: withKey, body })
    expect(answer.status).toBe(200)
    expect(await answer.text()).toContain('An excerpt.')
    expect(answer.headers.get('x-csp-backend')).toBe('searxng')
  },
)

test('when the Durable Object of homes throws and no backend follows, a stream says so and when to try again', async () => {
  const body = JSON.stringify({ model: 'sonar', stream: true, messages: [{ role: 'user', content: 'wasps' }] })
  const answer = await fetch(`${brokenAlone.url}/v1/chat/completions`, { method: 'POST', headers: withKey, body })
  expect(answer.status).toBe(503)
  expect(await answer.json()).toMatchObject({ error: { message: 'home cannot be reached.' } })
})

test('another csp answers at its address, with its own key, when no home does', async () => {
  const far = createApp({ executor: fakeExecutor(), version: 'far', keys: ['far-key'], allowedHosts: ['*'] })
  const seen: string[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      seen.push(`${request.method} ${new URL(request.url).pathname} ${request.headers.get('authorization')}`)
      return far.fetch(request)
    },
  })
  try {
    const remote = { CSP_REMOTE_URL: `http://127.0.0.1:${server.port}`, CSP_REMOTE_KEY: 'far-key' }
    await using edge = await startEdge({ variables: { CSP_BACKENDS: 'claude,remote', ...remote } })
    const list = await fetch(`${edge.url}/v1/search?q=bees&count=1`, { headers: withKey })
    expect(list.headers.get('x-csp-backend')).toBe('remote')
    expect(await list.json()).toMatchObject({ results: [{ title: 'About bees' }] })
    const body = JSON.stringify({ model: 'sonar', stream: true, messages: [{ role: 'user', content: 'wasps' }] })
    const stream = await fetch(`${edge.url}/v1/chat/completions`, { method: 'POST', headers: withKey, body })
    const pieces = [...(await stream.text()).matchAll(/"content":"([^"]*)"/g)].map(([, piece]) => piece)
    expect(pieces.join('')).toContain('This is wasps')
    // Neither the client's key nor any other.
    expect(seen).toEqual(['POST /execute Bearer far-key', 'POST /execute Bearer far-key'])
  } finally {
    await server.stop(true)
  }
})

describe('KV', () => {
  test('answers an equal request, in any dialect, without a backend', async () => {
    const { queries } = searxng
    const before = queries.length
    const sizeBefore = await helped.cacheSize()
    const ask = (path: string, more: Record<string, string> = {}) =>
      fetch(`${helped.url}${path}`, { headers: { ...withKey, ...more } })
    expect((await ask('/v1/search?q=hornets')).headers.get('x-cache')).toBe('miss')
    const again = await ask('/res/v1/web/search?q=hornets')
    expect(again.headers.get('x-cache')).toBe('hit')
    expect(again.headers.get('age')).toMatch(/^\d+$/)
    expect(queries.slice(before)).toEqual(['hornets'])
    expect((await ask('/v1/search?q=hornets', { 'cache-control': 'no-cache' })).headers.get('x-cache')).toBe('miss')
    expect(queries.slice(before)).toEqual(['hornets', 'hornets'])
    await ask('/v1/search?q=secret+hornets', { 'cache-control': 'no-store' })
    expect(await helped.cacheSize()).toBe(sizeBefore + 1)
  })

  test('outlives the Worker and is used when every backend fails', async () => {
    const persist = await mkdtemp(join(tmpdir(), 'csp-edge-'))
    try {
      await using searxng = startSearxng()
      const ask = async (edge: Edge) => {
        const response = await fetch(`${edge.url}/v1/search?q=bees`, { headers: withKey })
        const { headers } = response
        const told = [headers.get('x-cache'), headers.get('x-csp-stale-reason'), headers.get('x-csp-backend')]
        return [...told, await response.json()]
      }
      let first: readonly unknown[]
      {
        await using edge = await withSearxng(searxng.url, persist)
        first = await ask(edge)
        expect(first[0]).toBe('miss')
        await edge.untilCached(1)
      }
      {
        await using edge = await withSearxng(searxng.url, persist)
        expect((await ask(edge))[0]).toBe('hit')
        await edge.age(2 * 3600)
      }
      searxng.isUp = false
      await using edge = await withSearxng(searxng.url, persist)
      const [cache, reason, backend, body] = await ask(edge)
      expect([cache, reason, backend]).toEqual(['stale', 'unavailable', 'searxng'])
      expect(body).toHaveProperty('results', Object(first[3]).results)
      // Whoever wants it new is told the truth.
      const headers = { ...withKey, 'cache-control': 'no-cache' }
      expect((await fetch(`${edge.url}/v1/search?q=bees`, { headers })).status).toBe(503)
    } finally {
      await rm(persist, { recursive: true, force: true })
    }
  })

  test('a search that names no language has the default one', async () => {
    for (const path of ['/v1/search?q=tongues', '/v1/search?q=tongues&language=fr'])
      expect((await fetch(`${helped.url}${path}`, { headers: withKey })).status).toBe(200)
    const asked = searxng.languages.filter((_, index) => searxng.queries[index] === 'tongues')
    expect(asked).toEqual(['de', 'fr'])
  })

  test('a stale answer is returned immediately and refreshed in the background', async () => {
    const persist = await mkdtemp(join(tmpdir(), 'csp-edge-'))
    try {
      await using searxng = startSearxng()
      {
        await using edge = await withSearxng(searxng.url, persist)
        await (await fetch(`${edge.url}/v1/search?q=bees`, { headers: withKey })).text()
        await edge.untilCached(1)
        await edge.age(3700)
      }
      await using edge = await withSearxng(searxng.url, persist)
      const ask = async () => (await fetch(`${edge.url}/v1/search?q=bees`, { headers: withKey })).headers.get('x-cache')
      expect(await ask()).toBe('stale')
      for (let tries = 0; (await ask()) !== 'hit'; tries++) expect(tries).toBeLessThan(1000)
      const { length } = searxng.queries
      expect(length).toBeGreaterThan(1)
      expect(await ask()).toBe('hit')
      expect(searxng.queries.length).toBe(length)
    } finally {
      await rm(persist, { recursive: true, force: true })
    }
  })
})

function withSearxng(url: string, persist?: string): Promise<Edge> {
  const variables = { CSP_BACKENDS: 'claude,searxng', CSP_SEARXNG_URL: url, CSP_DEFAULT_LANGUAGE: 'de' }
  return startEdge({ variables, persist })
}
