import { describe, expect, test } from 'bun:test'
import { createApp } from '../../src/app.ts'
import { createPage } from '../../src/web-ui/page.tsx'
import { testApp } from '../api/test-app.ts'
import { concretePath } from '../support/concrete-path.ts'
import { getRoutes, postRoutes } from './every-route.ts'

// What a web page can have its visitor's browser send. tests/api/http/access.test.ts has who is let in.

const host = '127.0.0.1:52480'
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:78.0) Gecko/20100101 Firefox/78.0'
const page = 'https://evil.example/page'

/** What a browser of today says of a request, by the element that makes it. */
const modern: Readonly<Record<string, Record<string, string>>> = {
  'an image': { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
  'a script': { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' },
  'a style sheet': { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'style' },
  'a frame': { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
  'a link that is followed': {
    'sec-fetch-site': 'cross-site',
    'sec-fetch-mode': 'navigate',
    'sec-fetch-dest': 'document',
  },
  'a page of another port': { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
  'a fetch without CORS': { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'empty' },
  'a fetch with CORS': { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
  'a sandboxed frame': { origin: 'null', 'sec-fetch-site': 'cross-site' },
  'what is foreseen': { 'sec-fetch-site': 'none', 'sec-purpose': 'prefetch;prerender' },
  'what is foreseen, in older words': { purpose: 'prefetch' },
  'what an old Firefox foresees': { 'x-moz': 'prefetch' },
}

/** What one of before 2020 says. */
const old: Readonly<Record<string, Record<string, string>>> = {
  'an image': { accept: 'image/webp,*/*', referer: page },
  'an image, without a referrer': { accept: 'image/webp,*/*' },
  'a script, without a referrer': { accept: '*/*' },
  'a fetch that wants JSON, without a referrer': { accept: 'application/json' },
  'a style sheet, without a referrer': { accept: 'text/css,*/*;q=0.1' },
  'a link, without a referrer': { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' },
  'a page of another port': { accept: '*/*', referer: 'http://127.0.0.1:8000/' },
  'a page whose referrer is no address': { accept: '*/*', referer: 'evil' },
}

describe.each(getRoutes)('GET %s', (path) => {
  test.each(Object.entries(modern))('makes no search for %s of a modern browser', (_, headers) =>
    expectRefused(path, headers),
  )

  test.each(Object.entries(old))('makes no search for %s of an old browser', (_, headers) =>
    expectRefused(path, { 'user-agent': firefox, 'accept-language': 'en', ...headers }),
  )
})

describe.each(postRoutes.map(({ path, body }) => [path, body] as const))('POST %s', (path, body) => {
  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/json'])(
    'makes no search for a form or a beacon of the type %s',
    async (type) => {
      const init = { method: 'POST', body: JSON.stringify(body) }
      await expectRefused(path, { origin: 'https://evil.example', 'content-type': type }, init)
      // A very old browser sends no Origin with a form.
      await expectRefused(path, { 'user-agent': firefox, 'accept-language': 'en', 'content-type': type }, init)
    },
  )
})

test('makes no search for a page of another site, though its browser remembers a key of csp’s address', async () => {
  const basic = { authorization: `Basic ${btoa('csp:any')}`, 'user-agent': firefox, 'accept-language': 'en' }
  for (const headers of [{ referer: page }, {}]) await expectRefused('/v1/search?q=bees', { ...basic, ...headers })
})

describe('the guard against browsers', () => {
  test.each([
    ['that says nothing', {}],
    ['that calls itself a browser', { 'user-agent': firefox, accept: '*/*' }],
    [
      'that copies a browser and says that it is a program',
      { 'user-agent': firefox, 'accept-language': 'en', accept: 'application/json', 'x-requested-with': 'script' },
    ],
    ['that copies a browser and has a key', { 'user-agent': firefox, 'accept-language': 'en', 'x-api-key': 'any' }],
    ['of node', { 'user-agent': 'node', 'accept-language': '*', 'sec-fetch-mode': 'cors', accept: '*/*' }],
    ['that names csp as its referrer', { referer: `http://${host}/` }],
  ])('lets a program %s search', async (_, headers) => {
    const { get, executor } = testApp()
    expect((await get('/v1/search?q=bees', { host, ...headers })).status).toBe(200)
    expect(executor.calls).toHaveLength(1)
  })

  const unnamed = { host, 'user-agent': firefox, 'accept-language': 'en' }

  test.each([
    '/',
    '/page/main.js',
    '/page/style.css',
    '/?q=bees',
    '/opensearch.xml',
    '/openapi.json',
    '/llms.txt',
    '/health',
    '/v1/health/live',
  ])('lets a browser that names no site read %s, which costs no search', async (path) => {
    const { request, executor } = testApp(undefined, { page: async () => createPage() })
    for (const referer of [{}, { referer: page }]) {
      const reply = await request(path, { headers: { ...unnamed, accept: 'text/html,*/*', ...referer } })
      expect([path, reply.status]).toEqual([path, 200])
    }
    // One that names another site, as browsers do wherever they can, gets nothing.
    const headers = { ...unnamed, 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'image' }
    expect((await request(path, { headers })).status).toBe(403)
    expect(executor.calls).toHaveLength(0)
  })

  test.each([
    '/searxng?q=bees',
    '/?q=bees&format=json',
    '/health/../search?q=bees',
    '/page/..%2fsearch?q=bees',
    '/v1/usage',
  ])('does not let it read %s', async (path) => {
    const { request, executor } = testApp(undefined, { page: async () => createPage() })
    expect((await request(path, { headers: { ...unnamed, accept: 'text/html' } })).status).not.toBe(200)
    expect(executor.calls).toHaveLength(0)
  })

  test('says to people at an unknown host name how to allow it, and to programs in JSON', async () => {
    const { request, get } = testApp()
    const reply = await request('/', { headers: { host: 'desk.lan:52480', accept: 'text/html,*/*;q=0.8' } })
    expect([reply.status, reply.headers.get('content-type')]).toEqual([403, 'text/html; charset=UTF-8'])
    expect(await reply.text()).toContain('csp start --allowed-hosts desk.lan<')
    const json = await get('/v1/search?q=bees', { host: 'desk.lan:52480' })
    expect([json.status, json.body.error.message]).toEqual([403, expect.stringContaining('--allowed-hosts desk.lan.')])
    const odd = await request('/', { headers: { host: '<b>desk', accept: 'text/html' } })
    expect(await odd.text()).not.toContain('desk')
  })

  test('lets a page search whose origin is allowed, also in an old browser', async () => {
    const { get } = testApp(undefined, { allowedOrigins: ['https://app.example'] })
    const headers = { host, 'user-agent': firefox, 'accept-language': 'en', referer: 'https://app.example/a' }
    expect((await get('/v1/search?q=bees', headers)).status).toBe(200)
  })

  test('refuses a Host that is not a valid name, also where any host is allowed', async () => {
    const { get, executor } = testApp(undefined, { allowedHosts: ['*'] })
    for (const odd of ['a, b', 'evil.example@localhost', 'a b', '']) {
      expect((await get('/v1/search?q=bees', { host: odd })).status).toBe(403)
    }
    expect(executor.calls).toHaveLength(0)
  })
})

test('whatever is mounted does nothing for a page of another site, by any method', async () => {
  const touched: string[] = []
  /** A part of csp that nothing may ask for anything. */
  // biome-ignore lint/suspicious/noExplicitAny: it stands for any part
  const untouched = (name: string): any =>
    new Proxy({}, { get: (_, method) => () => touched.push(`${name}.${String(method)}`) })
  const parts = ['pages', 'jobs', 'receipts', 'signIn', 'budget']
  const app = createApp({
    ...Object.fromEntries(parts.map((part) => [part, untouched(part)])),
    ...{ executor: untouched('executor'), version: '1', page: async () => createPage() },
    ...{
      memory: { memory: untouched('memory'), scope: 'all' },
      metrics: { type: '', observe() {}, format: untouched('metrics').format },
    },
  })
  const paths = new Set(app.routes.map(({ path }) => path).filter((path) => !path.endsWith('*')))
  expect(paths.size).toBeGreaterThan(180)
  const strangers = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none', 'sec-purpose': 'prefetch;prerender' },
    // A page may empty the header, and cannot leave it out.
    { 'user-agent': firefox, 'accept-language': '' },
    { host: 'evil.example:52480' },
  ]
  const answered: string[] = []
  for (const path of paths) {
    const target = `${concretePath(path).replaceAll(/:\w+(\{\.\+\})?/g, 'x')}?q=bees&all=true`
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
      for (const headers of strangers) {
        const body = method === 'GET' || method === 'HEAD' ? null : '{"query":"bees"}'
        const reply = await app.request(target, { method, body, headers: { host, ...headers } })
        if (reply.status !== 403 || reply.headers.has('access-control-allow-origin'))
          answered.push(`${reply.status} ${method} ${target} ${JSON.stringify(headers)}`)
      }
  }
  expect({ answered, touched }).toEqual({ answered: [], touched: [] })
})

const asked = testApp()

async function expectRefused(path: string, headers: Record<string, string>, init: RequestInit = {}): Promise<void> {
  const { request, executor } = asked
  const response = await request(path, { ...init, headers: { host, ...headers } })
  expect(response.status).toBe(403)
  expect(response.headers.get('access-control-allow-origin')).toBeNull()
  expect(await response.json()).toBeObject()
  expect(executor.calls).toHaveLength(0)
}
