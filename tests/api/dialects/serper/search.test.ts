import { describe, expect, test } from 'bun:test'
import { PageError } from '@csp/page-reader/page-error'
import { collect } from '../../../../src/domain/answer.ts'
import { resultsRequest } from '../../../../src/domain/search.ts'
import { serper } from '../../../../src/executor/backends/serper/serper.ts'
import { fakePageReader } from '../../../support/fake-page-reader.ts'
import { found, scriptedExecutor } from '../../../support/scripted-executor.ts'
import { testApp } from '../../test-app.ts'

const path = '/serper/search'

describe("Serper's search", () => {
  test.each([path, '/search'])('answers at %s, and gives every row a snippet', async (at) => {
    const { post, log, executor } = testApp(found(3))
    const { status, body } = await post(at, { q: 'bees', num: 3, gl: 'uk', hl: 'en' })
    expect([status, body]).toEqual([
      200,
      {
        searchParameters: { q: 'bees', gl: 'gb', hl: 'en', type: 'search', num: 3, engine: 'google' },
        organic: [
          {
            title: 'Page 1',
            link: 'https://site1.example/docs/page',
            snippet: 'Excerpt 1',
            date: 'May 1, 2026',
            position: 1,
          },
          { title: 'Page 2', link: 'https://site2.example/docs/page', snippet: 'Excerpt 2', position: 2 },
          { title: 'Page 3', link: 'https://site3.example/docs/page', snippet: '', date: 'May 1, 2026', position: 3 },
        ],
      },
    ])
    expect(executor.requests[0]?.filters).toMatchObject({ country: 'GB', language: 'en' })
    expect(log).toMatchObject([{ dialect: 'serper', path: at, status: 200 }])
  })

  test('answers a request as crewAI’s SerperDevTool sends it', async () => {
    const { post, executor } = testApp(found(9), { keys: ['secret'] })
    const sent = { q: 'bees', num: 2, gl: 'de', location: 'Germany', hl: 'de' }
    const { body } = await post(path, sent, { 'X-API-KEY': 'secret' })
    expect(body.organic.map(({ title, link, snippet }: Record<string, string>) => [title, link, snippet])).toEqual([
      ['Page 1', 'https://site1.example/docs/page', 'Excerpt 1'],
      ['Page 2', 'https://site2.example/docs/page', 'Excerpt 2'],
    ])
    expect(executor.requests).toMatchObject([{ limit: 2, filters: { country: 'DE', language: 'de' } }])
  })

  test('answers a request as LiteLLM sends it, whose sites stand in the query', async () => {
    const { post, executor } = testApp()
    const q = '(bees) (site:a.example OR site:b.example)'
    expect((await post(path, { q, num: 5, gl: 'us' })).status).toBe(200)
    expect(executor.requests[0]).toMatchObject({ query: q, filters: { includeDomains: ['a.example', 'b.example'] } })
  })

  test('answers a request as LangChain sends it: a POST with nothing but a query string', async () => {
    const { request, executor } = testApp()
    const sent = { method: 'POST', headers: { 'X-API-KEY': 'any', 'content-type': 'application/json' } }
    const response = await request(`${path}?q=bees&gl=us&hl=en&num=4&tbs=qdr%3Aw`, sent)
    expect(response.status).toBe(200)
    expect(executor.requests).toMatchObject([{ limit: 4, filters: { freshness: 'week', country: 'US' } }])
  })

  test('answers a GET, whose key may stand in the query string', async () => {
    const { get, log, executor } = testApp(found(1), { keys: ['secret-3c'] })
    const { status, body } = await get(`${path}?q=bees&page=2&num=3&apiKey=secret-3c`)
    expect([status, body.searchParameters.page, executor.requests[0]?.offset]).toEqual([200, 2, 3])
    expect(JSON.stringify([log, body])).not.toContain('secret-3c')
  })

  test('answers a list of searches with a list of replies, in their order', async () => {
    const { post, executor } = testApp(scriptedExecutor(({ limit }) => found(limit ?? 5)))
    const { body, headers } = await post(path, [
      { q: 'bees', num: 1 },
      { q: 'wasps', num: 2, autocorrect: true },
    ])
    expect(
      body.map((reply: { searchParameters: { q: string }; organic: [] }) => [
        reply.searchParameters.q,
        reply.organic.length,
      ]),
    ).toEqual([
      ['bees', 1],
      ['wasps', 2],
    ])
    expect(executor.requests).toHaveLength(2)
    expect(headers.get('x-csp-ignored')).toBe('autocorrect')
    expect((await post(path, [{ q: 'bees' }])).body).toMatchObject([{ organic: expect.any(Array) }])
    expect((await post('/search', [{ q: 'bees' }])).body).toHaveLength(1)
  })

  test('answers a list that curl sends under the content type of a form', async () => {
    const { request, executor } = testApp()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const response = await request('/search', { method: 'POST', headers, body: ' [{"q":"bees"},{"q":"wasps"}]' })
    expect([response.status, executor.requests.map(({ query }) => query)]).toEqual([200, ['bees', 'wasps']])
  })

  test('finds news, with the site as their source', async () => {
    const { post, get, executor } = testApp(found(1))
    const { body } = await post('/serper/news', { q: 'bees' })
    expect(body.searchParameters.type).toBe('news')
    expect(body.news).toEqual([
      {
        title: 'Page 1',
        link: 'https://site1.example/docs/page',
        snippet: 'Excerpt 1',
        date: 'May 1, 2026',
        source: 'site1.example',
        position: 1,
      },
    ])
    expect((await get('/serper/news?q=bees')).body.news).toHaveLength(1)
    expect(executor.requests.map(({ filters }) => filters.category)).toEqual(['news', 'news'])
  })

  test.each([
    [{ tbs: 'qdr:h' }, { freshness: 'hour' }, null],
    [
      { tbs: 'cdr:1,cd_min:3/1/2026,cd_max:3/31/2026' },
      { publishedAfter: '2026-03-01', publishedBefore: '2026-03-31' },
      null,
    ],
    [{ tbs: 'qdr:y2' }, {}, 'tbs'],
    [{ location: 'United States' }, { country: 'US' }, null],
    [{ location: 'Austin,Texas,United States' }, { country: 'US', city: 'Austin', region: 'Texas' }, null],
    [{ location: 'Austin, Texas', gl: 'us' }, { country: 'US', city: 'Austin', region: 'Texas' }, null],
    [{ location: 'x'.repeat(300) }, {}, 'location'],
    [{ location: 'Austria', gl: 'de' }, { country: 'DE' }, 'location'],
    [{ safe: 'active', autocorrect: true }, { safeSearch: 'strict' }, 'autocorrect'],
    [{ gl: '', hl: '', location: '', tbs: '', page: null }, {}, null],
    [{ nonsense: 1 }, {}, 'nonsense'],
  ])('%j narrows the search to %j', async (fields, filters, ignored) => {
    const { post, executor } = testApp()
    const { status, headers } = await post(path, { q: 'bees', ...fields })
    expect([status, headers.get('x-csp-ignored')]).toEqual([200, ignored])
    expect(JSON.parse(JSON.stringify(executor.requests[0]?.filters))).toEqual(filters)
  })
})

test('csp’s own backend for Serper reads what the dialect writes, dates and all', async () => {
  const { request, executor } = testApp(found(2), { keys: ['secret'] })
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (sent) => request(new URL(sent.url).pathname, sent),
  })
  try {
    const backend = serper({ key: 'secret', url: `${server.url}serper`, version: '1' })
    const asked = resultsRequest({
      query: 'bees',
      limit: 2,
      filters: { publishedAfter: '2026-04-01', publishedBefore: '2026-05-31', category: 'news', country: 'DE' },
    })
    const { searches } = await collect(backend.search(asked, { signal: new AbortController().signal }))
    expect(searches[0]?.results).toMatchObject([
      { title: 'Page 1', url: 'https://site1.example/docs/page', snippet: 'Excerpt 1', publishedAt: '2026-05-01' },
      { title: 'Page 2', url: 'https://site2.example/docs/page', snippet: 'Excerpt 2' },
    ])
    expect(executor.requests[0]?.filters).toMatchObject(asked.filters)
  } finally {
    await server.stop(true)
  }
})

describe('an error of Serper', () => {
  test.each([
    [{}, 'q'],
    [{ q: ' ' }, 'q'],
    [{ q: 'bees', num: 101 }, 'num'],
    [{ q: 'bees', page: 0 }, 'page'],
    [{ q: 'bees', tbs: 'qdr:soon' }, 'tbs'],
    [{ q: 'bees', gl: 'germany' }, 'gl'],
    [[{ q: 'bees' }, { num: 3 }], '[1].q'],
    [[], '1 to 10'],
    [Array(11).fill({ q: 'bees' }), '1 to 10'],
  ])('for %j says what is wrong, and costs no search', async (sent, what) => {
    const { post, executor } = testApp()
    const { status, body } = await post(path, sent)
    expect([status, body]).toEqual([400, { message: expect.stringContaining(what), statusCode: 400 }])
    expect(executor.calls).toHaveLength(0)
  })

  test('is 403 for a wrong key, as with the vendor', async () => {
    const { post } = testApp(undefined, { keys: ['secret'] })
    const { status, body } = await post(path, { q: 'bees' }, { 'x-api-key': 'wrong' })
    expect([status, body]).toEqual([403, { message: 'The key is wrong.', statusCode: 403 }])
  })

  test('has the shape of Perplexity where a body at /search is not Serper’s', async () => {
    const { post, executor } = testApp()
    for (const sent of [{}, [], { q: 'bees', format: 'json' }, { q: 'bees', query: '' }, ['bees'], 'bees']) {
      const { status, body } = await post('/search', sent)
      expect([status, body.error.code]).toEqual([400, 400])
    }
    expect(executor.calls).toHaveLength(0)
  })
})

describe("Serper's scrape", () => {
  const url = 'https://bees.example/'
  const pages = () => fakePageReader({ [url]: { content: 'Bees hum.', title: 'Bees', publishedAt: '2026-10-07' } })

  test('reads one page, as text and as Markdown if asked for', async () => {
    const reader = pages()
    const { post } = testApp(undefined, { pages: reader })
    const metadata = { title: 'Bees', 'article:published_time': '2026-10-07' }
    expect((await post('/serper/scrape', { url })).body).toEqual({ text: 'Bees hum.', metadata })
    expect((await post('/serper/scrape', { url, includeMarkdown: true })).body).toEqual({
      text: 'Bees hum.',
      markdown: 'Bees hum.',
      metadata,
    })
    expect(reader.requests.map(({ format }) => format)).toEqual(['text', 'text', 'markdown'])
  })

  test('says why a page cannot be read', async () => {
    const gone = new PageError('not-found', 'The page does not exist.')
    const { post } = testApp(undefined, { pages: fakePageReader({ [url]: gone }) })
    const { status, body } = await post('/serper/scrape', { url })
    expect([status, body]).toEqual([422, { message: 'The page does not exist.', statusCode: 422 }])
    expect((await post('/serper/scrape', {})).body.message).toBe('url: Field required.')
  })
})
