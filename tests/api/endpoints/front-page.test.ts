import { describe, expect, test } from 'bun:test'
import { createPage } from '../../../src/web-ui/page.tsx'
import { testApp, usual } from '../test-app.ts'

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const withPage = { page: async () => createPage() }

describe('GET /', () => {
  test('answers a program with one line of JSON', async () => {
    const reply = await testApp(undefined, withPage).request('/')
    expect(await reply.text()).toBe(
      '{"name":"claude-search-proxy","version":"1.2.3","health":"/health","docs":"/openapi.json"}\n',
    )
    expect(reply.headers.get('vary')).toBe('accept')
  })

  test('names no version to a caller without the key that is required', async () => {
    const { get } = testApp(undefined, { keys: ['key'] })
    expect((await get('/')).body).not.toHaveProperty('version')
    expect((await get('/', { authorization: 'Bearer key' })).body).toHaveProperty('version', '1.2.3')
  })

  test('answers a browser with the page, under a policy that lets in nothing of another site', async () => {
    const reply = await testApp(undefined, withPage).request('/', { headers: browser })
    const policy = reply.headers.get('content-security-policy') ?? ''
    expect(policy.split('; ').toSorted()).toEqual([
      "base-uri 'none'",
      "connect-src 'self'",
      "default-src 'none'",
      "font-src 'self'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "img-src 'self' data:",
      "manifest-src 'self'",
      "script-src 'self'",
      "style-src 'self'",
    ])
    expect(reply.headers.get('x-content-type-options')).toBe('nosniff')
    expect(reply.headers.get('referrer-policy')).toBe('no-referrer')
    expect(await reply.text()).toStartWith('<!doctype html><html lang="en">')
  })

  test('refers to nothing of another site', async () => {
    const { request } = testApp(undefined, withPage)
    const markup = await (await request('/', { headers: browser })).text()
    const loaded = [...markup.matchAll(/<[^>]+\s(?:src|href)="([^"]+)"/g)].map(([, address]) => address)
    expect(
      loaded.filter((address) => !/^(page\/|#|data:|openapi\.json$|opensearch\.xml$)/.test(address ?? '')),
    ).toEqual([])
    expect(loaded).toContain('page/main.js')
  })

  test('writes the address as markup cannot be read from it', async () => {
    const { markup } = createPage()
    expect(
      markup({ url: 'http://"><script>alert(1)</script>', needsKey: false, isDirect: false, notice: undefined }),
    ).not.toContain('<script>alert')
  })

  test('shows the page to a visitor without a key, and asks for one', async () => {
    const { request } = testApp(undefined, { ...withPage, keys: ['key'] })
    const reply = await request('/', { headers: browser })
    expect(reply.status).toBe(200)
    expect(await reply.text()).toContain('data-needs-key="true"')
  })

  test('says on the sandbox, and there alone, that nothing is real', async () => {
    for (const [more, isNoted] of [
      [{}, false],
      [{ isSandbox: true }, true],
    ] as const) {
      const reply = await testApp(Object.assign(usual(), more), withPage).request('/', { headers: browser })
      expect((await reply.text()).includes('nothing here comes from the web')).toBe(isNoted)
    }
  })

  test('answers a browser with JSON where the page is off', async () => {
    const reply = await testApp().request('/', { headers: browser })
    expect(reply.headers.get('content-type')).toBe('application/json')
    expect((await testApp().request('/page/main.js')).status).toBe(404)
  })

  test.each([
    ['/?q=bees&format=json', browser],
    ['/?q=bees', { accept: '*/*' }],
  ])('sends what asks SearXNG on to the search: %s, %j', async (path, headers) => {
    const reply = await testApp(undefined, withPage).request(path, { headers })
    expect([reply.status, reply.headers.get('location')]).toEqual([308, `search${path.slice(1)}`])
  })

  test.each([
    ['none', true],
    ['same-origin', true],
    ['', false],
  ])(
    'with a question gives a browser the page, which searches at once for its user alone: %p',
    async (site, isDirect) => {
      const { request, executor } = testApp(undefined, withPage)
      const reply = await request('/?q=bees', { headers: { ...browser, ...(site && { 'sec-fetch-site': site }) } })
      expect(await reply.text()).toContain(`data-is-direct="${isDirect}"`)
      expect([reply.status, reply.headers.get('cache-control'), executor.calls.length]).toEqual([200, 'no-store', 0])
    },
  )
})

describe('GET /opensearch.xml', () => {
  test('names the page as a search engine at the address by which it was asked, without a key', async () => {
    const { request } = testApp(undefined, { ...withPage, keys: ['key'], allowedHosts: ['desk.lan'] })
    const reply = await request('http://desk.lan:52480/opensearch.xml')
    expect(reply.headers.get('content-type')).toStartWith('application/opensearchdescription+xml')
    expect(await reply.text()).toContain(
      'type="text/html" method="get" template="http://desk.lan:52480/?q={searchTerms}"',
    )
  })

  test('has the address that a proxy in front of csp says', async () => {
    const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-prefix': '/csp', authorization: 'Bearer key' }
    const reply = await testApp(undefined, { ...withPage, keys: ['key'] }).request('/opensearch.xml', { headers })
    expect(await reply.text()).toContain('template="https://localhost/csp/?q={searchTerms}"')
  })

  test('is not there without the page', async () => {
    expect((await testApp().request('/opensearch.xml')).status).toBe(404)
  })
})

describe('the files of the page', () => {
  test('are one script, one style, its font and its pictures, each of its type', async () => {
    const { files } = createPage()
    expect(Object.keys(files).filter((name) => /\.(js|css)$/.test(name))).toEqual(['style.css', 'main.js'])
    for (const [name, { body }] of Object.entries(files)) {
      const reply = await testApp(undefined, withPage).request(`/page/${name}`)
      expect([name, reply.status]).toEqual([name, 200])
      const wanted = typeof body === 'string' ? new TextEncoder().encode(body) : body
      expect(Buffer.from(await reply.arrayBuffer()).equals(Buffer.from(wanted))).toBe(true)
      expect(reply.headers.get('content-type')).toMatch(typeOf(name))
    }
  })

  test('are sent zipped to who can read that, and not again while they are the same', async () => {
    const { request } = testApp(undefined, withPage)
    const whole = await (await request('/page/main.js')).text()
    const reply = await request('/page/main.js', { headers: { 'accept-encoding': 'gzip, br' } })
    expect(reply.headers.get('content-encoding')).toBe('gzip')
    expect(reply.headers.get('vary')).toBe('accept-encoding')
    const sent = await reply.bytes()
    expect(sent.length).toBeLessThan(whole.length / 2)
    expect(new TextDecoder().decode(Bun.gunzipSync(sent))).toBe(whole)
    expect(reply.headers.get('cache-control')).toBe('no-cache')
    const etag = reply.headers.get('etag') ?? ''
    const again = await request('/page/main.js', { headers: { 'if-none-match': etag } })
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag])
    expect((await request('/page/main.js', { headers: { 'if-none-match': '"other"' } })).status).toBe(200)
  })

  test.each(['nothing.js', 'constructor', '..%2Fmain.js'])('do not include %s', async (name) => {
    expect((await testApp(undefined, withPage).request(`/page/${name}`)).status).toBe(404)
  })
})

function typeOf(name: string): RegExp {
  if (name.endsWith('.css')) return /^text\/css/
  if (name.endsWith('.png')) return /^image\/png$/
  if (name.endsWith('.woff2')) return /^font\/woff2$/
  if (name.endsWith('.json')) return /^application\/json$/
  if (name.endsWith('.svg')) return /^image\/svg\+xml$/
  return name.endsWith('.webmanifest') ? /^application\/manifest\+json$/ : /^text\/javascript/
}
