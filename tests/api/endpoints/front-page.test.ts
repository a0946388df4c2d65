import { describe, expect, test } from 'bun:test'
import { createPage } from '../../../src/web-ui/page.tsx'
import { testApp } from '../test-app.ts'

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
      "form-action 'self'",
      "frame-ancestors 'none'",
      "img-src 'self' data:",
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
    expect(loaded.filter((address) => !/^(page\/|#|data:|docs$)/.test(address ?? ''))).toEqual([])
    expect(loaded).toContain('page/main.js')
  })

  test('writes the address as markup cannot be read from it', async () => {
    const { markup } = createPage()
    expect(markup({ url: 'http://"><script>alert(1)</script>', needsKey: false })).not.toContain('<script>alert')
  })

  test('shows the page to a visitor without a key, and asks for one', async () => {
    const { request } = testApp(undefined, { ...withPage, keys: ['key'] })
    const reply = await request('/', { headers: browser })
    expect(reply.status).toBe(200)
    expect(await reply.text()).toContain('data-needs-key="true"')
  })

  test('answers a browser with JSON where the page is off', async () => {
    const reply = await testApp().request('/', { headers: browser })
    expect(reply.headers.get('content-type')).toBe('application/json')
    expect((await testApp().request('/page/main.js')).status).toBe(404)
  })

  test('sends a browser that asks SearXNG on to the search, as before', async () => {
    const reply = await testApp(undefined, withPage).request('/?q=bees', { headers: browser })
    expect([reply.status, reply.headers.get('location')]).toEqual([308, 'search?q=bees'])
  })
})

describe('the files of the page', () => {
  test('are scripts and a stylesheet, and import only one another', async () => {
    const { files } = createPage()
    for (const [name, { text }] of Object.entries(files)) {
      const imported = [...text.matchAll(/^import [^']*'\.\/([^']+)'/gm)].map(([, other]) => other ?? '')
      expect(imported.filter((other) => !(other in files))).toEqual([])
      const reply = await testApp(undefined, withPage).request(`/page/${name}`)
      expect([reply.status, await reply.text()]).toEqual([200, text])
      expect(reply.headers.get('content-type')).toMatch(name.endsWith('.css') ? /^text\/css/ : /^text\/javascript/)
    }
  })

  test.each(['nothing.js', 'constructor', '..%2Fmain.js'])('do not include %s', async (name) => {
    expect((await testApp(undefined, withPage).request(`/page/${name}`)).status).toBe(404)
  })
})
