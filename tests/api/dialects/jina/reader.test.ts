import { describe, expect, test } from 'bun:test'
import { PageError } from '@csp/page-reader/page-error'
import { liveMarkup } from '@csp/testing/rendered'
import { fakePageReader } from '../../../support/fake-page-reader.ts'
import { testApp } from '../../test-app.ts'

const bees = 'https://bees.example/a?b=c&d=%20e'
const page = { content: '# Bees', title: 'Bees\nand more', publishedAt: '2026-10-07', language: 'en' }
const reader = () =>
  fakePageReader({
    [bees]: page,
    'https://bees.example/a': page,
    'https://bees.example/': page,
    'http://localhost/': new PageError('not-allowed', 'This address is not public.'),
    'https://walled.example/': new PageError('blocked-by-status', 'The site answered 403.', { status: 403 }),
  })

describe("Jina's reader", () => {
  test.each([
    [`/r/${bees}`, bees],
    [`/v1/r/${bees}`, bees],
    ['/r/https:/bees.example/a', 'https://bees.example/a'],
    [`/r/${encodeURIComponent(bees)}`, bees],
    ['/r/bees.example/a', 'https://bees.example/a'],
  ])('reads the page whose address stands in the path %s', async (path, url) => {
    const pages = reader()
    const { request, log } = testApp(undefined, { pages })
    const response = await request(path)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(await response.text()).toBe(
      `Title: Bees and more\n\nURL Source: ${url}\n\nPublished Time: 2026-10-07\n\nMarkdown Content:\n# Bees\n`,
    )
    expect(pages.requests).toEqual([{ url, format: 'markdown' }])
    expect(log).toMatchObject([{ dialect: 'jina', pages: 1 }])
    expect(JSON.stringify(log)).not.toContain('bees.example')
  })

  test('shows no title that acts where its text is read as Markdown', async () => {
    const title = '![x](//evil.example/p.png) <img src=x onerror=alert(1)> https://evil.example/?q=SECRET'
    const pages = fakePageReader({ 'https://bees.example/': { ...page, title } })
    const { request } = testApp(undefined, { pages })
    const text = await (await request('/r/https://bees.example/', { headers: { accept: 'text/markdown' } })).text()
    expect(liveMarkup(text.replace('https://bees.example/', ''))).toEqual([])
  })

  test('reads the page that a body names', async () => {
    const { request } = testApp(undefined, { pages: reader() })
    const response = await request('/r/', { method: 'POST', body: JSON.stringify({ url: bees }) })
    expect(await response.text()).toContain('Markdown Content:\n# Bees')
    expect((await request(`/r/${bees}`, { method: 'POST' })).status).toBe(200)
  })

  test('gives JSON to a client that accepts it', async () => {
    const { get } = testApp(undefined, { pages: reader() })
    const { body } = await get('/r/https://bees.example/', {
      accept: 'application/json',
      'x-with-links-summary': 'true',
    })
    expect(body).toEqual({
      code: 200,
      status: 20_000,
      data: {
        title: 'Bees\nand more',
        description: '',
        url: 'https://bees.example/',
        publishedTime: '2026-10-07',
        metadata: { lang: 'en' },
        content: '# Bees',
      },
    })
  })

  test.each(['text', 'html', 'markdown', 'content'])('gives JSON with the content as %s', async (format) => {
    const headers = { accept: 'application/json', 'x-respond-with': format }
    const { body } = await testApp(undefined, { pages: reader() }).get(`/r/${bees}`, headers)
    const { text, html, content } = body.data
    const isContent = format === 'markdown' || format === 'content'
    expect({ text, html, content }).toEqual({
      ...{ text: undefined, html: undefined, content: undefined },
      [isContent ? 'content' : format]: '# Bees',
    })
  })

  test.each([
    [{ 'x-respond-with': 'markdown', accept: 'text/markdown' }, 'markdown', 'text/markdown'],
    [{ 'x-return-format': 'text' }, 'text', 'text/plain'],
    [{ 'x-respond-with': 'HTML', accept: 'text/html' }, 'html', 'text/plain'],
  ])('with the headers %j gives the bare content, and never as HTML', async (headers, format, type) => {
    const pages = reader()
    const response = await testApp(undefined, { pages }).request(`/r/${bees}`, { headers })
    expect(await response.text()).toBe('# Bees')
    expect(response.headers.get('content-type')).toBe(`${type}; charset=utf-8`)
    expect(pages.requests).toMatchObject([{ format }])
  })

  test('takes its options from headers, and names those without effect', async () => {
    const { request } = testApp(undefined, { pages: reader() })
    const headers = { 'x-timeout': '9', 'x-no-cache': 'true', 'x-locale': 'de', 'x-target-selector': 'main' }
    const response = await request(`/r/${bees}`, { headers })
    expect(response.headers.get('x-csp-ignored')).toBe('x-target-selector')
  })

  test.each([
    ['/r/http://localhost/', {}, 403, 'ForbiddenError'],
    ['/r/https://walled.example/', {}, 422, 'BlockedByStatusError'],
    [`/r/${bees}`, { 'x-respond-with': 'screenshot' }, 400, 'InvalidRequestError'],
    [`/r/${bees}`, { 'x-timeout': 'soon' }, 400, 'InvalidRequestError'],
  ])('answers %s with the headers %j by status %i in its envelope', async (path, headers, status, name) => {
    const { status: sent, body } = await testApp(undefined, { pages: reader() }).get(path, headers)
    expect(sent).toBe(status)
    expect(body).toEqual({
      data: null,
      code: status,
      status: status * 100,
      name,
      message: expect.any(String),
      readableMessage: expect.stringContaining(name),
    })
  })

  test('needs an address', async () => {
    const { status, body } = await testApp(undefined, { pages: reader() }).post('/r', {})
    expect([status, body.message]).toEqual([400, 'url: Field required.'])
  })
})

test.each([
  ['/r/https://bees.example/?token=1', '/r/…'],
  ['//r/https://bees.example/token', '/r/…'],
  ['/v1//r/bees.example/token', '/v1/r/…'],
  ['/jina/r/bees.example/token', '/jina/…'],
  ['/R/https:/bees.example/token', '/R/…'],
  ['/read/https%3A%2F%2Fbees.example%2Ftoken', '/read/…'],
])('the log holds no address of a page, however the path is misspelt: %s', async (path, logged) => {
  const { request, log } = testApp(undefined, { pages: fakePageReader({}) })
  await (await request(path)).text()
  expect(log.map((entry) => entry.path)).toEqual([logged])
})
