import { describe, expect, test } from 'bun:test'
import { found, scriptedExecutor } from '../../../support/scripted-executor.ts'
import { testApp } from '../../test-app.ts'

const path = '/customsearch/v1'
const item = (number: number) => ({
  kind: 'customsearch#result',
  title: `Page ${number}`,
  htmlTitle: `Page ${number}`,
  link: `https://site${number}.example/docs/page`,
  displayLink: `site${number}.example`,
  snippet: `Excerpt ${number}`,
  htmlSnippet: `Excerpt ${number}`,
  formattedUrl: `https://site${number}.example/docs/page`,
  htmlFormattedUrl: `https://site${number}.example/docs/page`,
})

describe("Google's Custom Search", () => {
  test.each([path, `${path}/siterestrict`, `/google${path}`, `/google${path}/siterestrict`])(
    'answers at %s in its shape',
    async (at) => {
      const { get, log, executor } = testApp(found(2))
      const { status, body, headers } = await get(`${at}?q=bees&num=2&start=3&cx=engine`)
      const page = { title: 'Custom Search - bees', totalResults: '5', searchTerms: 'bees', count: 2 }
      const query = { ...page, inputEncoding: 'utf8', outputEncoding: 'utf8', safe: 'off', cx: 'engine' }
      expect([status, body]).toEqual([
        200,
        {
          kind: 'customsearch#search',
          url: { type: 'application/json', template: expect.stringContaining('q={searchTerms}') },
          queries: {
            previousPage: [{ ...query, startIndex: 1 }],
            request: [{ ...query, startIndex: 3 }],
            nextPage: [{ ...query, startIndex: 5 }],
          },
          searchInformation: {
            searchTime: 0,
            formattedSearchTime: '0.00',
            totalResults: '5',
            formattedTotalResults: '5',
          },
          items: [{ ...item(1), pagemap: { metatags: [{ 'article:published_time': '2026-05-01' }] } }, item(2)],
        },
      ])
      expect(headers.get('x-csp-ignored')).toBe('cx')
      expect(executor.requests).toMatchObject([{ query: 'bees', limit: 2, offset: 2 }])
      expect(log).toMatchObject([{ dialect: 'google', path: at, status: 200 }])
    },
  )

  test('answers a request as @googleapis/customsearch and googleapiclient send it', async () => {
    const { get, executor } = testApp(found(4), { keys: ['secret'] })
    const sent = `${path}?q=bees&cx=engine&num=3&key=secret&alt=json`
    const { status, body } = await get(sent, { 'x-goog-api-client': 'gdcl/8.0.3 gl-node/20.20.2' })
    expect([status, body.items.length, executor.requests[0]?.limit]).toEqual([200, 3, 3])
  })

  test('answers the pages that Open WebUI asks for until it has enough', async () => {
    const { get, executor } = testApp(scriptedExecutor(({ limit = 0 }) => found(limit)))
    const first = await get(`${path}?cx=engine&q=bees&key=any&num=10&start=1`)
    const second = await get(`${path}?cx=engine&q=bees&key=any&num=5&start=11`)
    expect([first.body.items.length, second.body.items.length]).toEqual([10, 5])
    expect(first.body.queries.nextPage[0].startIndex).toBe(11)
    expect(executor.requests.map(({ limit, offset }) => [limit, offset])).toEqual([
      [10, undefined],
      [5, 10],
    ])
  })

  test('answers a request as LiteLLM sends it', async () => {
    const { get, executor } = testApp()
    const sent = 'q=bees&cx=engine&key=any&num=5&siteSearch=a.example&siteSearchFilter=i&gl=DE'
    const { body } = await get(`${path}?${sent}`)
    expect(body.items[0]).toMatchObject({
      title: 'Page 1',
      link: 'https://site1.example/docs/page',
      snippet: 'Excerpt 1',
    })
    expect(executor.requests[0]?.filters).toMatchObject({ includeDomains: ['a.example'], country: 'DE' })
  })

  test('has the text of a page as it is, and escaped where the field is HTML', async () => {
    const row = { title: 'A & B', url: 'https://a.example/?x=1&y=2', snippet: '<b>bold</b>', source: 'claude' }
    const script = [
      { type: 'search-start', id: 's', query: 'bees' } as const,
      { type: 'search-results', id: 's', results: [row] } as const,
      ...found(0).slice(-1),
    ]
    const { body } = await testApp(scriptedExecutor(script)).get(`${path}?q=bees`)
    expect(body.items[0]).toMatchObject({
      title: 'A & B',
      htmlTitle: 'A &amp; B',
      link: row.url,
      htmlSnippet: '&lt;b&gt;bold&lt;/b&gt;',
    })
  })

  test.each([
    ['dateRestrict=d3', { freshness: 'week' }, null],
    ['dateRestrict=m[1]', { freshness: 'month' }, null],
    ['dateRestrict=y2', {}, 'dateRestrict'],
    ['sort=date:r:20260301:20260331', { publishedAfter: '2026-03-01', publishedBefore: '2026-03-31' }, null],
    ['sort=date:r:20260301:', { publishedAfter: '2026-03-01' }, null],
    ['sort=date', {}, 'sort'],
    ['siteSearch=https://www.a.example&siteSearchFilter=e', { excludeDomains: ['www.a.example'] }, null],
    ['siteSearch=a.example/docs', { includeDomains: ['a.example'] }, 'siteSearch'],
    ['siteSearchFilter=i', {}, 'siteSearchFilter'],
    ['lr=lang_zh-TW&hl=en', { language: 'zh-tw' }, null],
    ['lr=lang_de|lang_fr', {}, 'lr'],
    ['hl=pt_BR&cr=countryUK', { language: 'pt-br', country: 'GB' }, null],
    ['hl=fr', { language: 'fr' }, null],
    ['cr=countryDE&gl=us', { country: 'DE' }, null],
    ['cr=(countryDE|countryAT)', {}, 'cr'],
    ['gl=us', { country: 'US' }, null],
    ['safe=active', { safeSearch: 'strict' }, null],
    ['lr=&cr=&sort=&dateRestrict=&siteSearch=', {}, null],
    ['filter=1&rights=cc_publicdomain', {}, 'filter, rights'],
  ])('%s narrows the search to %j', async (query, filters, ignored) => {
    const { get, executor } = testApp()
    const { status, headers } = await get(`${path}?q=bees&${query}`)
    expect([status, headers.get('x-csp-ignored')]).toEqual([200, ignored])
    expect(JSON.parse(JSON.stringify(executor.requests[0]?.filters))).toEqual(filters)
  })

  test('puts terms that have a parameter of their own into the query', async () => {
    const { get, executor } = testApp()
    const terms = { hq: 'hive', exactTerms: 'honey "bee"', orTerms: 'wax comb', excludeTerms: 'spelling film' }
    const sent = new URLSearchParams({ q: 'bees site:b.example', fileType: '.PDF', ...terms })
    await get(`${path}?${sent}`)
    expect(executor.requests[0]).toMatchObject({
      query: 'bees site:b.example hive "honey bee" (wax OR comb) -spelling -film filetype:pdf',
      filters: { includeDomains: ['b.example'] },
    })
  })

  test('has no items and no next page where nothing was found', async () => {
    const { body } = await testApp(found(0)).get(`${path}?q=bees`)
    expect(body).not.toHaveProperty('items')
    expect(body.queries).not.toHaveProperty('nextPage')
    expect(body.searchInformation.totalResults).toBe('0')
  })
})

describe('an error of Google', () => {
  test.each([
    ['', 'q', 'required'],
    ['q=bees&num=11', 'num', 'badRequest'],
    ['q=bees&start=0', 'start', 'badRequest'],
    ['q=bees&dateRestrict=soon', 'dateRestrict', 'badRequest'],
    ['q=bees&sort=date:r:20260230:', 'sort', 'badRequest'],
    ['q=bees&lr=german', 'lr', 'badRequest'],
    ['q=bees&siteSearch=no site', 'siteSearch', 'badRequest'],
    ['q=bees&searchType=image', 'searchType', 'badRequest'],
    ['q=bees&fileType=p.d f', 'fileType', 'badRequest'],
    [`q=${'a'.repeat(3_000)}&hq=${'b'.repeat(1_500)}`, 'q', 'badRequest'],
  ])('names the parameter and costs no search: %s', async (query, location, reason) => {
    const { get, executor } = testApp()
    const { status, body } = await get(`${path}?${query}`)
    expect(status).toBe(400)
    expect(body).toEqual({
      error: {
        code: 400,
        message: expect.stringContaining(`${location}: `),
        errors: [{ message: expect.any(String), domain: 'global', reason, locationType: 'parameter', location }],
        status: 'INVALID_ARGUMENT',
      },
    })
    expect(executor.calls).toHaveLength(0)
  })

  test.each([
    ['image', 'Image search is not supported'],
    ['news', "Input should be absent, or 'image'"],
  ])('says what is wrong with the search type %s', async (type, why) => {
    const { body } = await testApp().get(`${path}?q=bees&searchType=${type}`)
    expect(body.error.message).toContain(why)
  })

  test('is 403 without a key and 400 for a wrong one, as with the vendor', async () => {
    const { get, executor } = testApp(undefined, { keys: ['secret'] })
    const missing = await get(`${path}?q=bees`)
    expect([missing.status, missing.body.error.status]).toEqual([403, 'PERMISSION_DENIED'])
    const wrong = await get(`${path}?q=bees&key=wrong`)
    expect([wrong.status, wrong.body.error]).toEqual([
      400,
      {
        code: 400,
        message: 'The key is wrong.',
        errors: [{ message: 'The key is wrong.', domain: 'global', reason: 'badRequest' }],
        status: 'INVALID_ARGUMENT',
        details: [expect.objectContaining({ reason: 'API_KEY_INVALID' })],
      },
    ])
    expect(JSON.stringify(wrong.body)).not.toContain('wrong"}')
    expect(executor.calls).toHaveLength(0)
  })
})

describe('a key in the query string', () => {
  test('is accepted, stands in no log and no reply, and is read under the prefix of its vendor alone', async () => {
    const { get, log, executor } = testApp(undefined, { keys: ['secret-7f'] })
    const { status, body } = await get(`${path}?q=bees&key=secret-7f`)
    expect([status, executor.calls[0]?.context.caller]).toEqual([200, 'key-1'])
    expect((await get('/v7.0/search?q=bees&key=secret-7f')).status).toBe(401)
    expect((await get(`${path}?q=bees&key=secret-7f`, { authorization: 'Bearer wrong' })).status).toBe(400)
    expect((await get(`${path}?q=bees&key=%00%0a`)).status).toBe(403)
    expect(JSON.stringify([log, body])).not.toContain('secret-7f')
  })
})
