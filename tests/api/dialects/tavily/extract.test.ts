import { describe, expect, test } from 'bun:test'
import { deferred } from '@csp/lib/deferred'
import { PageError } from '@csp/page-reader/page-error'
import type { PageReader } from '@csp/page-reader/page-reader'
import { quickTimers } from '@csp/testing/quick-timers'
import { fakePageReader } from '../../../support/fake-page-reader.ts'
import { found, scriptedExecutor } from '../../../support/scripted-executor.ts'
import { testApp } from '../../test-app.ts'

const page = (number: number) => `https://site${number}.example/docs/page`
const reader = () =>
  fakePageReader({
    [page(1)]: { content: '# One', title: 'The first', image: 'https://site1.example/one.png' },
    [page(2)]: new PageError('blocked-by-status', 'The site answered 403.', { status: 403 }),
    [page(3)]: 'Three',
  })

describe("Tavily's extract", () => {
  test('has the vendor’s shape, with the pages that failed', async () => {
    const { post } = testApp(undefined, { pages: reader() })
    const body = { urls: [page(1), page(2), 'file:///etc/passwd'], include_images: true, include_favicon: true }
    const { status, body: reply } = await post('/tavily/extract', { ...body, include_usage: true })
    expect(status).toBe(200)
    expect(reply).toEqual({
      results: [
        {
          url: page(1),
          title: 'The first',
          raw_content: '# One',
          images: ['https://site1.example/one.png'],
          favicon: 'https://site1.example/favicon.ico',
        },
      ],
      failed_results: [
        { url: page(2), error: 'The site answered 403.', code: 'blocked_by_status' },
        { url: 'file:///etc/passwd', error: expect.any(String), code: 'not_found' },
      ],
      response_time: 0,
      usage: { credits: 0 },
      request_id: 'id-1',
    })
  })

  test('takes one address, the format and a time, and names what has no effect', async () => {
    const pages = reader()
    const { post } = testApp(undefined, { pages })
    const body = { urls: page(3), format: 'text', timeout: 12.5, extract_depth: 'advanced', session_id: 's' }
    const { headers, body: reply } = await post('/v1/tavily/extract', body)
    expect(reply.results).toEqual([{ url: page(3), title: null, raw_content: 'Three', images: [] }])
    expect(pages.requests).toEqual([{ url: page(3), format: 'text' }])
    expect(headers.get('x-csp-ignored')).toBe('extract_depth, session_id')
  })

  test('gives the chunks that bear on a query, as many as are wanted', async () => {
    const content = 'Wasps build nests of paper.\n\nBees dance to show the way.\n\nA dance of bees is a language.'
    const { post } = testApp(undefined, { pages: fakePageReader({ [page(1)]: content }) })
    const ask = { urls: page(1), query: 'bees dance' }
    const { body } = await post('/tavily/extract', ask)
    expect(body.results[0].raw_content.split(' [...] ').toSorted()).toEqual([
      'A dance of bees is a language.',
      'Bees dance to show the way.',
    ])
    const { body: one } = await post('/tavily/extract', { ...ask, chunks_per_source: 1 })
    expect(one.results[0].raw_content).not.toContain('[...]')
    const { headers } = await post('/tavily/extract', { urls: page(1), chunks_per_source: 1 })
    expect(headers.get('x-csp-ignored')).toBe('chunks_per_source')
  })

  test('takes the key from the body', async () => {
    const { post } = testApp(undefined, { pages: reader(), keys: ['tvly-key'] })
    expect((await post('/tavily/extract', { urls: page(1) })).status).toBe(401)
    expect((await post('/tavily/extract', { urls: page(1), api_key: 'tvly-key' })).status).toBe(200)
  })

  test.each([
    [{}, 'urls: '],
    [{ urls: Array(100).fill(page(1)) }, 'urls: '],
    [{ urls: page(1), timeout: 0 }, 'timeout: '],
    [{ urls: page(1), format: 'pdf' }, 'format: '],
  ])('refuses %j in its own envelope, and reads nothing', async (body, start) => {
    const pages = reader()
    const { status, body: reply } = await testApp(undefined, { pages }).post('/tavily/extract', body)
    expect(status).toBe(400)
    expect(reply.detail.error).toStartWith(start)
    expect(pages.requests).toEqual([])
  })
})

describe('include_raw_content', () => {
  const search = (pages: PageReader | undefined, more: object, script = scriptedExecutor(() => found(3))) =>
    testApp(script, { pages }).post('/tavily/search', { query: 'bees', ...more })
  const contents = (body: { readonly results: readonly { raw_content: unknown }[] }) =>
    body.results.map((row) => row.raw_content)

  test('brings the text of the found pages, and null for one that cannot be read', async () => {
    const pages = reader()
    const { body, headers } = await search(pages, { include_raw_content: true })
    expect(contents(body)).toEqual(['# One', null, 'Three'])
    expect(headers.get('x-csp-ignored')).toBeNull()
    expect(pages.requests.map(({ url, format }) => [url, format])).toEqual([1, 2, 3].map((n) => [page(n), 'markdown']))
  })

  test('reads no more pages than the reply has, and in the wanted format', async () => {
    const pages = reader()
    await search(pages, { include_raw_content: 'text', max_results: 1 })
    expect(pages.requests).toMatchObject([{ url: page(1), format: 'text' }])
  })

  test.each([false, null, undefined])('%p reads nothing', async (include_raw_content) => {
    const pages = reader()
    const { body } = await search(pages, { include_raw_content })
    expect(contents(body)).toEqual([null, null, null])
    expect(pages.requests).toEqual([])
  })

  test('is named as ignored where no page is ever read', async () => {
    const { body, headers } = await search(undefined, { include_raw_content: true })
    expect(contents(body)).toEqual([null, null, null])
    expect(headers.get('x-csp-ignored')).toBe('include_raw_content')
  })

  test('does not wait for a page that comes too late, and reads it on', async () => {
    using _ = quickTimers()
    const never = deferred<never>()
    const signals: AbortSignal[] = []
    const inner = reader()
    const pages: PageReader = {
      read: (request, context) => {
        if (request.url !== page(3)) return inner.read(request, context)
        signals.push(context.signal)
        return never.promise
      },
      async close() {},
    }
    const { body } = await search(pages, { include_raw_content: true })
    expect(contents(body)).toEqual(['# One', null, null])
    expect(signals.map(({ aborted }) => aborted)).toEqual([false])
  })
})
