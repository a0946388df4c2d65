import { describe, expect, test } from 'bun:test'
import { testApp } from '../test-app.ts'

describe('the bare address of a SearXNG instance', () => {
  test.each([
    ['/?q=bees&format=json', 'search?q=bees&format=json'],
    ['/searxng?q=bees&format=json', 'searxng/search?q=bees&format=json'],
    ['/searxng/?q=bees', 'search?q=bees'],
    ['/v1/searxng?q=bees', 'searxng/search?q=bees'],
  ])('redirects %s to %s', async (path, location) => {
    for (const method of ['GET', 'POST']) {
      const { request, executor } = testApp()
      const response = await request(path, { method })
      expect([response.status, response.headers.get('location')]).toEqual([308, location])
      expect(executor.calls).toHaveLength(0)
    }
  })

  test('keeps a form when it redirects', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const { request } = testApp()
    const response = await request('/searxng', { method: 'POST', headers, body: 'q=bees&format=json' })
    expect([response.status, response.headers.get('location')]).toEqual([308, 'searxng/search'])
  })

  test('leads a client to its results, by GET and by POST', async () => {
    const { request } = testApp()
    using server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: (sent) => request(sent.url, sent) })
    const at = `http://127.0.0.1:${server.port}`
    const form = { method: 'POST', body: new URLSearchParams({ q: 'bees', format: 'json' }) }
    const replies = [fetch(`${at}/?q=bees&format=json`), fetch(at, form), fetch(`${at}/searxng/`, form)]
    for (const reply of replies) expect((await (await reply).json()).results).toHaveLength(3)
  })

  test('is not a route without a query', async () => {
    for (const method of ['GET', 'POST']) expect((await testApp().request('/searxng', { method })).status).not.toBe(308)
    expect((await testApp().request('/searxng')).status).toBe(404)
    expect((await testApp().get('/')).body).toMatchObject({ name: 'claude-search-proxy' })
  })

  test('needs a key where keys are set', async () => {
    expect((await testApp(undefined, { keys: ['key'] }).request('/?q=bees')).status).toBe(401)
  })
})

test.each(['/searxng/config', '/config'])('%s lists csp as the one engine for the web', async (path) => {
  const { status, body } = await testApp().get(path)
  expect(status).toBe(200)
  const isOpen = { limiter: { enabled: false }, public_instance: false }
  expect(body).toMatchObject({ version: '1.2.3', ...isOpen, categories: expect.arrayContaining(['general', 'news']) })
  expect(body.engines).toMatchObject([
    {
      ...{ name: 'csp', enabled: true, categories: expect.arrayContaining(['general', 'web']), timeout: 60 },
      ...{ paging: true, language_support: true, safesearch: true, time_range_support: true },
    },
  ])
})
