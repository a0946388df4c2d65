import { describe, expect, test } from 'bun:test'
import { PageError } from '@csp/page-reader/page-error'
import { fakePageReader } from '../../../support/fake-page-reader.ts'
import { found } from '../../../support/scripted-executor.ts'
import { testApp } from '../../test-app.ts'

const first = 'https://site1.example/docs/page'
const reader = () =>
  fakePageReader({
    [first]: {
      content: '# Bees',
      title: 'Bees',
      description: 'On bees.',
      author: 'Ann Apiarist',
      siteName: 'Apiary',
      image: 'https://site1.example/bee.png',
      language: 'en',
      publishedAt: '2026-10-07',
      modifiedAt: '2026-10-08',
      finalUrl: 'https://site1.example/bees',
      links: ['https://a.example/'],
    },
    'https://slow.example/': new PageError('timeout', 'The page took too long.'),
    'https://walled.example/': new PageError('blocked-by-status', 'The site answered 403.', { status: 403 }),
    'http://localhost/': new PageError('not-allowed', 'This address is not public.'),
    'file:///etc/passwd': new PageError('invalid-url', 'Only http and https addresses are read.'),
    'https://busy.example/': new PageError('busy', 'Too many pages are being read.'),
  })

const metadata = {
  title: 'Bees',
  description: 'On bees.',
  author: 'Ann Apiarist',
  language: 'en',
  ogSiteName: 'Apiary',
  ogImage: 'https://site1.example/bee.png',
  publishedTime: '2026-10-07',
  modifiedTime: '2026-10-08',
  sourceURL: first,
  url: 'https://site1.example/bees',
  statusCode: 200,
  contentType: 'text/html',
}

describe.each(['/v1/scrape', '/v2/scrape', '/firecrawl/v1/scrape', '/firecrawl/v2/scrape'])('POST %s', (path) => {
  test('gives the Markdown of a page with what is known of it', async () => {
    const pages = reader()
    const { status, body } = await testApp(undefined, { pages }).post(path, { url: first })
    expect(status).toBe(200)
    expect(body).toEqual({ success: true, data: { markdown: '# Bees', metadata } })
    expect(pages.requests).toEqual([{ url: first, format: 'markdown' }])
  })
})

describe("Firecrawl's scrape", () => {
  const scrape = (body: object, pages = reader()) => testApp(undefined, { pages }).post('/firecrawl/v2/scrape', body)

  test('gives every format that there is, by name or as an object, and names the others', async () => {
    const pages = reader()
    const formats = ['markdown', { type: 'html' }, 'links', 'rawHtml', { type: 'json', prompt: 'bees' }]
    const more = { onlyMainContent: false, waitFor: 100, origin: 'js-sdk@4' }
    const { body, headers } = await scrape({ url: first, formats, ...more }, pages)
    expect(body.data).toEqual({ markdown: '# Bees', html: '# Bees', links: ['https://a.example/'], metadata })
    expect(pages.requests.map(({ format, mainContentOnly }) => [format, mainContentOnly])).toEqual([
      ['markdown', false],
      ['html', false],
    ])
    expect(headers.get('x-csp-ignored')).toBe('formats.rawHtml, formats.json, waitFor')
  })

  test.each([
    ['https://slow.example/', 504, 'TIMEOUT'],
    ['https://walled.example/', 422, 'BLOCKED_BY_STATUS'],
    ['https://nowhere.example/', 422, 'NOT_FOUND'],
    ['http://localhost/', 403, 'FORBIDDEN'],
    ['file:///etc/passwd', 400, 'INVALID_REQUEST'],
    ['https://busy.example/', 429, 'BUSY'],
  ])('of %s, which cannot be read, is an error with status %i and code %s', async (url, status, code) => {
    const { status: sent, body } = await scrape({ url })
    expect(sent).toBe(status)
    expect(body).toEqual({ success: false, code, error: expect.any(String) })
  })

  test.each([
    [{}, 'url: '],
    [{ url: first, formats: ['screenshot'] }, 'formats: '],
    [{ url: first, timeout: 0 }, 'timeout: '],
  ])('refuses %j and reads nothing', async (body, start) => {
    const pages = reader()
    const { status, body: reply } = await scrape(body, pages)
    expect(status).toBe(400)
    expect(reply).toMatchObject({ success: false, code: 'INVALID_REQUEST' })
    expect(reply.error).toStartWith(start)
    expect(pages.requests).toEqual([])
  })
})

describe('the scrapeOptions of a Firecrawl search', () => {
  const search = (version: 1 | 2, scrapeOptions: object, pages = reader()) =>
    testApp(found(2), { pages }).post(`/firecrawl/v${version}/search`, { query: 'bees', scrapeOptions })

  test('bring the text of the found pages in both versions', async () => {
    const { body: v1, headers } = await search(1, { formats: ['markdown'] })
    expect(v1.data).toMatchObject([{ url: first, title: 'Page 1', markdown: '# Bees', metadata }, { title: 'Page 2' }])
    expect(v1.data[1]).not.toHaveProperty('markdown')
    expect(headers.get('x-csp-ignored')).toBeNull()
    const { body: v2 } = await search(2, { formats: [{ type: 'html' }] })
    expect(v2.data.web).toMatchObject([{ url: first, title: 'Page 1', html: '# Bees' }, { title: 'Page 2' }])
  })

  test('name what has no effect in them', async () => {
    const { headers } = await search(2, { formats: ['markdown', 'html', 'screenshot'], timeout: 5, waitFor: 7 })
    expect(headers.get('x-csp-ignored')).toBe(
      'scrapeOptions.formats.screenshot, scrapeOptions.timeout, scrapeOptions.formats.html, scrapeOptions.waitFor',
    )
  })

  test.each([{}, { formats: [] }])('%j read nothing', async (scrapeOptions) => {
    const pages = reader()
    await search(1, scrapeOptions, pages)
    expect(pages.requests).toEqual([])
  })
})
