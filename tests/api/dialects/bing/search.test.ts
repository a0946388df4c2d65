import { describe, expect, test } from 'bun:test'
import { found, scriptedExecutor } from '../../../support/scripted-executor.ts'
import { testApp } from '../../test-app.ts'

const web = '/v7.0/search'

describe("Bing's web search", () => {
  test.each([web, '/bing/v7.0/search'])(
    'answers at %s in the shape of version 7, without what is not known',
    async (path) => {
      const { get, log } = testApp(found(2))
      const { status, body } = await get(`${path}?q=bees&count=2`)
      expect(status).toBe(200)
      expect(body).toEqual({
        _type: 'SearchResponse',
        queryContext: { originalQuery: 'bees' },
        webPages: {
          totalEstimatedMatches: 3,
          value: [
            {
              id: '#WebPages.0',
              name: 'Page 1',
              url: 'https://site1.example/docs/page',
              displayUrl: 'https://site1.example/docs/page',
              snippet: 'Excerpt 1',
              datePublished: '2026-05-01T00:00:00',
            },
            {
              id: '#WebPages.1',
              name: 'Page 2',
              url: 'https://site2.example/docs/page',
              displayUrl: 'https://site2.example/docs/page',
              snippet: 'Excerpt 2',
            },
          ],
        },
        rankingResponse: {
          mainline: {
            items: [
              { answerType: 'WebPages', resultIndex: 0, value: { id: '#WebPages.0' } },
              { answerType: 'WebPages', resultIndex: 1, value: { id: '#WebPages.1' } },
            ],
          },
        },
      })
      expect(log).toMatchObject([{ dialect: 'bing', path, status: 200, results: 2 }])
    },
  )

  test('answers a request as Open WebUI sends it, with the rows that it reads', async () => {
    const query = 'q=bees&mkt=en-US&count=3&promote=Webpages%2CNews&responseFilter=Webpages%2CNews'
    const { get, executor } = testApp(found(9), { keys: ['secret'] })
    const { body } = await get(`${web}?${query}`, { 'ocp-apim-subscription-key': 'secret' })
    expect(
      body.webPages.value.map((row: { url: string; name: string; snippet: string }) => [
        row.url,
        row.name,
        row.snippet,
      ]),
    ).toEqual([
      ['https://site1.example/docs/page', 'Page 1', 'Excerpt 1'],
      ['https://site2.example/docs/page', 'Page 2', 'Excerpt 2'],
      ['https://site3.example/docs/page', 'Page 3', ''],
    ])
    expect(executor.requests).toEqual([
      {
        query: 'bees',
        history: [],
        want: 'results',
        effort: 'fast',
        limit: 3,
        filters: { country: 'US', language: 'en' },
      },
    ])
  })

  test('answers a request as LangChain sends it: HTML, in which the text of a page is escaped', async () => {
    const row = { title: 'A & B', url: 'https://a.example/?x=1&y=2', snippet: '<b>bold</b>', source: 'claude' }
    const script = [
      { type: 'search-start', id: 's', query: 'bees' } as const,
      { type: 'search-results', id: 's', results: [row] } as const,
      ...found(0).slice(-1),
    ]
    const { get } = testApp(scriptedExecutor(script))
    const { body, headers } = await get(`${web}?q=bees&count=10&textDecorations=True&textFormat=HTML`)
    expect(body.webPages.value[0]).toMatchObject({
      name: 'A &amp; B',
      snippet: '&lt;b&gt;bold&lt;/b&gt;',
      url: row.url,
    })
    expect(headers.get('x-csp-ignored')).toBe('textDecorations')
  })

  test('answers a request as Dify sends it', async () => {
    const { get, executor } = testApp()
    const headers = { 'accept-language': 'zh-hans,zh-hans-CN;q=0.9', 'ocp-apim-subscription-key': 'any' }
    const { body } = await get(
      `${web}?q=bees&mkt=zh-hans-CN&count=5&responseFilter=News,RelatedSearches,WebPages`,
      headers,
    )
    expect(body.webPages.value[0]).toMatchObject({ name: 'Page 1' })
    expect(executor.requests[0]?.filters).toEqual({ country: 'CN', language: 'zh-hans' })
  })

  test.each([
    ['freshness=Day', { freshness: 'day' }],
    ['freshness=month', { freshness: 'month' }],
    ['freshness=2026-03-01', { publishedAfter: '2026-03-01', publishedBefore: '2026-03-01' }],
    ['freshness=2026-03-01..2026-03-31', { publishedAfter: '2026-03-01', publishedBefore: '2026-03-31' }],
    ['safeSearch=Strict', { safeSearch: 'strict' }],
    ['cc=at', { country: 'AT' }],
    ['cc=CH&mkt=de-AT', { country: 'CH', language: 'de' }],
    ['setLang=fr', { language: 'fr' }],
    ['mkt=pt', { language: 'pt' }],
    ['mkt=en_US', { country: 'US', language: 'en' }],
    ['mkt=us-en', { country: 'US', language: 'en' }],
    ['mkt=&freshness=', {}],
    ['responseFilter=News', { category: 'news' }],
    ['responseFilter=-Webpages', { category: 'news' }],
  ])('%s narrows the search to %j', async (query, filters) => {
    const { get, executor } = testApp()
    expect((await get(`${web}?q=bees&${query}`)).status).toBe(200)
    expect(JSON.parse(JSON.stringify(executor.requests[0]?.filters))).toEqual(filters)
  })

  test('takes the language from Accept-Language where cc names the country', async () => {
    const { get, executor } = testApp()
    await get(`${web}?q=bees&cc=CH`, { 'accept-language': 'de-ch,en;q=0.5' })
    await get(`${web}?q=bees`, { 'accept-language': 'de-ch' })
    expect(executor.requests.map(({ filters }) => filters.language)).toEqual(['de-ch', undefined])
  })

  test('reads the sites that the query names', async () => {
    const { get, executor } = testApp()
    await get(`${web}?q=${encodeURIComponent('bees (site:a.example OR site:b.example) -site:c.example')}`)
    expect(executor.requests[0]?.filters).toMatchObject({
      includeDomains: ['a.example', 'b.example'],
      excludeDomains: ['c.example'],
    })
  })

  test('counts an offset in rows, and says that a short page is the last one', async () => {
    const { get, executor } = testApp(found(2))
    const { body } = await get(`${web}?q=bees&count=5&offset=15`)
    expect(executor.requests[0]).toMatchObject({ limit: 5, offset: 15 })
    expect(body.webPages.totalEstimatedMatches).toBe(17)
  })

  test('has news in their own group', async () => {
    const { body } = await testApp(found(1)).get(`${web}?q=bees&responseFilter=News`)
    expect(body).not.toHaveProperty('webPages')
    expect(body.news.value).toMatchObject([{ id: '#News.0', name: 'Page 1', description: 'Excerpt 1' }])
  })

  test('leaves out a group without rows, and makes no search for groups that cannot be found here', async () => {
    expect((await testApp(found(0)).get(`${web}?q=bees`)).body).toEqual({
      _type: 'SearchResponse',
      queryContext: { originalQuery: 'bees' },
    })
    const { get, executor } = testApp()
    const { status, body } = await get(`${web}?q=bees&responseFilter=Images,Videos`)
    expect([status, body._type, executor.calls.length]).toEqual([200, 'SearchResponse', 0])
  })
})

describe("Bing's news search", () => {
  test.each(['/v7.0/news/search', '/bing/v7.0/news/search'])('answers at %s', async (path) => {
    const { get, executor } = testApp(found(1))
    const { body, headers } = await get(`${path}?q=bees&count=1&freshness=Week&sortBy=Date&category=Sports`)
    expect(body).toEqual({
      _type: 'News',
      queryContext: { originalQuery: 'bees' },
      totalEstimatedMatches: 2,
      value: [
        {
          id: '#News.0',
          name: 'Page 1',
          url: 'https://site1.example/docs/page',
          description: 'Excerpt 1',
          datePublished: '2026-05-01T00:00:00',
          provider: [{ _type: 'Organization', name: 'site1.example' }],
        },
      ],
    })
    expect(executor.requests).toMatchObject([{ limit: 1, filters: { category: 'news', freshness: 'week' } }])
    expect(headers.get('x-csp-ignored')).toBe('sortBy, category')
  })
})

describe('an error of Bing', () => {
  test.each([
    ['', 'q', 'ParameterMissing', undefined],
    ['q=', 'q', 'ParameterInvalidValue', ''],
    ['q=bees&count=51', 'count', 'ParameterInvalidValue', '51'],
    ['q=bees&offset=-1', 'offset', 'ParameterInvalidValue', '-1'],
    ['q=bees&freshness=Year', 'freshness', 'ParameterInvalidValue', 'Year'],
    ['q=bees&freshness=2026-02-30', 'freshness', 'ParameterInvalidValue', '2026-02-30'],
    ['q=bees&freshness=2026-03-02..2026-03-01', 'freshness', 'ParameterInvalidValue', '2026-03-02..2026-03-01'],
    ['q=bees&mkt=english', 'mkt', 'ParameterInvalidValue', 'english'],
    ['q=bees&safeSearch=no', 'safeSearch', 'ParameterInvalidValue', 'no'],
    ['q=bees&responseFilter=Pages', 'responseFilter[0]', 'ParameterInvalidValue', 'Pages'],
  ])('for "%s" names the parameter %s, and costs no search', async (query, parameter, subCode, value) => {
    const { get, executor } = testApp()
    const { status, body } = await get(`${web}?${query}`)
    expect(status).toBe(400)
    const message = expect.stringContaining(`${parameter}: `)
    expect(body).toEqual({
      _type: 'ErrorResponse',
      errors: [{ code: 'InvalidRequest', subCode, message, parameter, ...(value !== undefined && { value }) }],
    })
    expect(executor.calls).toHaveLength(0)
  })

  test('for a wrong key is that of its gateway', async () => {
    const { get } = testApp(undefined, { keys: ['secret'] })
    const { status, body } = await get(`${web}?q=bees`, { 'ocp-apim-subscription-key': 'wrong' })
    expect([status, body]).toEqual([401, { error: { code: '401', message: 'The key is wrong.' } }])
  })
})
