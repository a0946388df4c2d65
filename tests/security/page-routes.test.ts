import { describe, expect, test } from 'bun:test'
import { PageError } from '@csp/page-reader/page-error'
import type { PageReader } from '@csp/page-reader/page-reader'
import { testApp } from '../api/test-app.ts'
import { fakePageReader } from '../support/fake-page-reader.ts'
import { pageRoutes } from '../support/routes.ts'

// What can be sent to the routes that read pages. What the reader itself refuses is in packages/page-reader/test.

const good = 'https://bees.example/'
const reader = () => fakePageReader({ [good]: 'Bees dance.' })

interface Call {
  readonly method: 'GET' | 'POST'
  readonly path: string
}

const calls: readonly Call[] = pageRoutes.flatMap(({ path, methods }) =>
  (['GET', 'POST'] as const).flatMap((method) => (methods[method] ? [{ method, path }] : [])),
)
const byBody = calls.filter(({ path }) => !path.includes('{'))
const named = <Each extends Call>(list: readonly Each[]) =>
  list.map((call) => [call.method, call.path.replace('{.+}', ''), call] as const)

/** Asks the route for pages; one that takes a single page gets the first. */
function send(
  { method, path }: Call,
  urls: readonly string[],
  pages: PageReader,
  headers: Record<string, string> = {},
) {
  const { request, executor, log } = testApp(undefined, { pages })
  const [url] = urls
  const target = path.replace(':url{.+}', encodeURIComponent(url ?? ''))
  const sources = { claim: 'Bees dance.', sources: urls.map((one) => ({ url: one })) }
  const asked = path.endsWith('/verify') ? sources : isOfOne(path) ? { url } : { urls }
  const body = path.includes('{') ? {} : { body: JSON.stringify(asked) }
  return { reply: request(target, { method, headers, ...(method === 'POST' && body) }), executor, log }
}

function isOfOne(path: string): boolean {
  return /\/scrape$|\/fetch$|\/r$/.test(path)
}

/** The status of a refusal. FastAPI's is Parallel's. */
const refusedWith = (path: string) => (path.startsWith('/parallel/') ? 422 : 400)

const hostile = [
  'file:///etc/passwd',
  'javascript:alert(1)',
  'http://localhost/',
  'http://2130706433/',
  'data:text/html,<script>alert(1)</script>',
  'https://user:secret@bees.example/',
  'not an address',
  '\u0000',
  '../../etc/passwd',
  `https://bees.example/${'a'.repeat(20_000)}`,
]

describe.each(named(calls))('%s %s', (_, path, call) => {
  test('reads a page, and makes no search', async () => {
    const pages = reader()
    const { reply, executor, log } = send(call, [good], pages)
    const response = await reply
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('Bees dance.')
    expect(pages.requests).toHaveLength(1)
    expect(executor.calls).toHaveLength(0)
    expect(log).toMatchObject([{ status: 200, pages: 1 }])
    expect(JSON.stringify(log)).not.toContain('bees.example')
  })

  test.each(hostile)('of the address %j is an error in words, and no crash', async (url) => {
    const pages = failing(new PageError('invalid-url', 'Only http and https addresses are read.'))
    const response = await send(call, [url], pages).reply
    expect(response.status).toBeLessThan(500)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.text()).toMatch(/Only http and https addresses are read|Field required/)
  })

  test.each([
    ['a page of another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['an image of another site', { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'image' }],
    ['a proxy in front of a csp without keys', { 'x-forwarded-for': '203.0.113.7', 'x-forwarded-proto': 'https' }],
  ])('reads nothing for %s', async (_, headers) => {
    const pages = reader()
    const response = await send(call, [good], pages, headers).reply
    expect(response.status).toBe(403)
    expect(pages.requests).toEqual([])
  })

  if (!isOfOne(path) && !path.includes(':url')) {
    test('gives the other pages where some cannot be read', async () => {
      const response = await send(call, [...hostile, good], reader()).reply
      expect(response.status).toBe(200)
      expect(await response.text()).toContain('Bees dance.')
    })

    test('refuses more addresses than it takes, and reads nothing', async () => {
      const pages = reader()
      const response = await send(call, Array(101).fill(good), pages).reply
      expect(response.status).toBe(refusedWith(path))
      expect(await response.text()).toMatch(/(urls|sources): Input should have at most/)
      expect(pages.requests).toEqual([])
    })
  }
})

describe.each(named(byBody))('%s %s', (_, __, { path }) => {
  test.each([
    ['no JSON', '{"urls": ['],
    ['a list', '[]'],
    ['a number', '7'],
    ['nothing in it', '{}'],
    ['an address that is none', '{"urls": [{}], "url": {}}'],
    ['too many levels', `{"urls": ${'['.repeat(200)}${']'.repeat(200)}}`],
    ['more than may be sent', `{"urls": "${'x'.repeat(1024 * 1024)}"}`],
  ])('refuses a body with %s in its own envelope', async (_, body) => {
    const pages = reader()
    const { request } = testApp(undefined, { pages })
    const response = await request(path, { method: 'POST', body })
    expect([refusedWith(path), 413]).toContain(response.status)
    expect(await response.json()).toBeObject()
    expect(pages.requests).toEqual([])
  })
})

function failing(error: PageError): PageReader {
  return {
    read: async () => {
      throw error
    },
    close: async () => {},
  }
}
