import { describe, expect, test } from 'bun:test'
import { found } from '../../../support/scripted-executor.ts'
import { testApp } from '../../test-app.ts'

test('a native search by GET returns the envelope', async () => {
  const { status, body } = await testApp().get('/v1/search?q=bees&count=2&offset=4')
  expect(status).toBe(200)
  expect(body).toEqual({
    query: 'bees',
    backend: 'scripted',
    total_results: 2,
    cached: false,
    age_seconds: 0,
    elapsed_ms: 0,
    results: [
      {
        title: 'Page 1',
        url: 'https://site1.example/docs/page',
        snippet: 'Excerpt 1',
        published_date: '2026-05-01',
        source: 'scripted',
        rank: 5,
        favicon_url: 'https://site1.example/favicon.ico',
      },
      {
        title: 'Page 2',
        url: 'https://site2.example/docs/page',
        snippet: 'Excerpt 2',
        published_date: null,
        source: 'scripted',
        rank: 6,
        favicon_url: 'https://site2.example/favicon.ico',
      },
    ],
  })
})

test.each([
  ['on', 'strict'],
  ['TRUE', 'strict'],
  ['2', 'strict'],
  ['moderate', 'moderate'],
  ['1', 'moderate'],
  ['false', 'off'],
  ['0', 'off'],
] as const)('safesearch=%s is understood as %s', async (word, level) => {
  const { get, executor } = testApp()
  expect((await get(`/v1/search?q=bees&safesearch=${word}`)).status).toBe(200)
  expect(executor.requests[0]?.filters.safeSearch).toBe(level)
})

test('a native search that finds nothing is a normal reply', async () => {
  const { status, body } = await testApp(found(0)).get('/v1/search?q=bees')
  expect(status).toBe(200)
  expect(body).toMatchObject({ backend: null, total_results: 0, results: [] })
})

test('a native search with fewer rows than requested says how many are missing', async () => {
  const missing = async (path: string) => (await testApp(found(14)).get(path)).headers.get('x-csp-missing')
  expect(await missing('/v1/search?q=bees&count=20')).toBe('6')
  expect(await missing('/res/v1/web/search?q=bees&count=20')).toBe('6')
  expect(await missing('/v1/search?q=bees&count=14')).toBeNull()
  expect(await missing('/v1/search?q=bees')).toBeNull()
})

test('a native search by POST also has the fields that clients of LiteLLM and Firecrawl read', async () => {
  const { body } = await testApp().post('/v1/search', { query: 'bees', search_tool_name: 'csp', limit: 2 })
  expect(body).toMatchObject({ object: 'search', success: true })
  expect(body.data).toEqual([
    { url: 'https://site1.example/docs/page', title: 'Page 1', description: 'Excerpt 1' },
    { url: 'https://site2.example/docs/page', title: 'Page 2', description: 'Excerpt 2' },
  ])
  expect((await testApp().get('/v1/search?q=bees')).body).not.toHaveProperty('data')
})

test('a native search by POST also has the fields that a Perplexity client reads', async () => {
  const { body } = await testApp().post('/v1/search', { query: 'bees', max_results: 3 })
  expect(body.id).toBe('id-1')
  expect(body.results[0]).toMatchObject({ date: '2026-05-01', published_date: '2026-05-01' })
  expect(body.results[1]).not.toHaveProperty('date')
  expect(body.results[2].snippet).toBe('')
})

describe('a native search request', () => {
  test.each(['count', 'limit', 'n', 'max_results'])('sets the number of rows with %s', async (name) => {
    const { get, executor } = testApp()
    await get(`/v1/search?query=bees&${name}=7`)
    expect(executor.calls[0]?.request).toMatchObject({ query: 'bees', limit: 7 })
  })

  test('returns ten rows by default', async () => {
    const { get, executor } = testApp(found(12))
    const { body } = await get('/v1/search?q=bees')
    expect(body.results).toHaveLength(10)
    expect(executor.calls[0]?.request).toEqual({
      query: 'bees',
      history: [],
      want: 'results',
      effort: 'fast',
      filters: {},
    })
  })

  test.each([
    ['hour', { freshness: 'hour' }],
    ['year', { freshness: 'year' }],
    ['pd', { freshness: 'day' }],
    ['2026-01-01to2026-01-31', { publishedAfter: '2026-01-01', publishedBefore: '2026-01-31' }],
  ])('with the freshness %s sets its filters', async (text, filters) => {
    const { get, executor } = testApp()
    await get(`/v1/search?q=bees&freshness=${text}`)
    expect(executor.calls[0]?.request.filters).toEqual(filters as object)
  })

  test('takes domains as text, repeated, or as a list', async () => {
    const { get, post, executor } = testApp()
    await get('/v1/search?q=bees&include_domains=a.example,%20B.example,')
    await get('/v1/search?q=bees&include_domains=a.example&include_domains=b.example')
    await post('/v1/search', { q: 'bees', include_domains: ['a.example', 'b.example'] })
    for (const { request } of executor.calls) expect(request.filters.includeDomains).toEqual(['a.example', 'b.example'])
    expect(executor.calls).toHaveLength(3)
  })

  test('takes country, language and domains to leave out', async () => {
    const { get, executor } = testApp()
    await get('/v1/search?q=bees&country=de&language=PT-BR&exclude_domains=a.example')
    expect(executor.calls[0]?.request.filters).toEqual({
      country: 'DE',
      language: 'pt-br',
      excludeDomains: ['a.example'],
    })
  })

  test.each([
    ['safesearch=strict', { filters: { safeSearch: 'strict' } }],
    ['safesearch=0', { filters: { safeSearch: 'off' } }],
    ['category=news', { filters: { category: 'news' } }],
    ['category=general', { filters: {} }],
    ['region=de', { filters: { country: 'DE' } }],
    ['region=at-de', { filters: { country: 'AT', language: 'de' } }],
    ['region=at-de&country=CH&language=fr', { filters: { country: 'CH', language: 'fr' } }],
    ['region=wt-wt', { filters: {} }],
    ['region=us-en', { filters: { country: 'US', language: 'en' } }],
    ['region=en-US', { filters: { country: 'US', language: 'en' } }],
    ['region=en_US', { filters: { country: 'US', language: 'en' } }],
    ['region=pt-BR', { filters: { country: 'BR', language: 'pt' } }],
    ['region=ja-JP', { filters: { country: 'JP', language: 'ja' } }],
    ['region=en', { filters: { language: 'en' } }],
    ['country=en-GB&language=en_GB', { filters: { country: 'GB', language: 'en-gb' } }],
    ['page=1', { offset: undefined }],
    ['page=3', { offset: 20 }],
    ['page=3&count=5', { offset: 10, limit: 5 }],
  ])('passes %s on to the search', async (query, request) => {
    const { get, executor } = testApp()
    const { body, headers } = await get(`/v1/search?q=bees&${query}`)
    expect(executor.requests).toMatchObject([request])
    if ('filters' in request) expect(executor.requests[0]?.filters).toEqual(request.filters as object)
    expect(body.results[0].rank).toBe(((request as { offset?: number }).offset ?? 0) + 1)
    expect(headers.get('x-csp-ignored')).toBeNull()
  })

  test('gets the score of a backend that has one, by GET and by POST', async () => {
    const [start, results, end] = found(2)
    const scored =
      results?.type === 'search-results' &&
      results.results.map((row, at) => ({ ...row, ...(at === 0 && { score: 0.87 }) }))
    const { get, post } = testApp([start, { ...results, results: scored }, end] as ReturnType<typeof found>)
    for (const { body } of [await get('/v1/search?q=bees'), await post('/v1/search', { q: 'bees' })]) {
      expect(body.results.map(({ score }: { score?: number }) => score)).toEqual([0.87, undefined])
    }
  })

  test('gets a snippet that is always text, by GET and by POST', async () => {
    const { get, post } = testApp()
    for (const { body } of [await get('/v1/search?q=bees'), await post('/v1/search', { q: 'bees' })]) {
      expect(body.results.map(({ snippet }: { snippet: unknown }) => snippet)).toEqual(['Excerpt 1', 'Excerpt 2', ''])
    }
  })

  test('takes the fields of Perplexity in a POST', async () => {
    const { post, executor } = testApp()
    await post('/v1/search', {
      query: 'bees',
      search_domain_filter: ['-a.example'],
      search_language_filter: ['de'],
      search_recency_filter: 'week',
    })
    expect(executor.calls[0]?.request.filters).toEqual({
      excludeDomains: ['a.example'],
      language: 'de',
      freshness: 'week',
    })
  })
})

describe('a native search request is refused', () => {
  test.each([
    ['no query', '', 'q'],
    ['a blank query', 'q=%20', 'q'],
    ['a query of white space', 'query=%0A', 'query'],
    ['a long query', `q=${'x'.repeat(4001)}`, 'q'],
    ['count 0', 'q=bees&count=0', 'count'],
    ['limit 0', 'q=bees&limit=0', 'limit'],
    ['n 5x', 'q=bees&n=5x', 'n'],
    ['max_results 1.5', 'q=bees&max_results=1.5', 'max_results'],
    ['count true', 'q=bees&count=true', 'count'],
    ['a negative offset', 'q=bees&offset=-1', 'offset'],
    ['page 0', 'q=bees&page=0', 'page'],
    ['a page and an offset', 'q=bees&page=2&offset=3', 'page'],
    ['a category', 'q=bees&category=weather', 'category'],
    ['a level of safe search', 'q=bees&safesearch=9', 'safesearch'],
    ['a region', 'q=bees&region=Germanyy', 'region'],
    ['freshness', 'q=bees&freshness=never', 'freshness'],
    ['no country', 'q=bees&country=Germanyy', 'country'],
    ['a language', 'q=bees&language=in%20German', 'language'],
    ['no domain', 'q=bees&include_domains=a.example,%3F', 'include_domains[1]'],
  ])('with 400, naming the field: %s', async (_name, query, field) => {
    const { get, executor } = testApp()
    const { status, body } = await get(`/v1/search?${query}`)
    expect(status).toBe(400)
    expect(body.error).toMatchObject({ code: 'invalid_request', field, request_id: 'id-1' })
    expect(body.error.message).toStartWith(`${field}: `)
    expect(executor.calls).toHaveLength(0)
  })
})
