import { describe, expect, test } from 'bun:test'
import { found } from '../../../support/scripted-executor.ts'
import { testApp } from '../../test-app.ts'

const path = '/search.json'

describe("SerpApi's search", () => {
  test.each([path, '/serpapi/search.json', '/serpapi/search'])('answers at %s in its shape', async (at) => {
    const { get, log } = testApp(found(2))
    const { status, body } = await get(`${at}?engine=google&q=bees&num=2&gl=us&hl=en&start=10`)
    expect([status, body]).toEqual([
      200,
      {
        search_metadata: { id: 'id-1', status: 'Success', created_at: '2026-11-20 10:00:00 UTC', total_time_taken: 0 },
        search_parameters: { engine: 'google', q: 'bees', num: 2, start: 10, gl: 'us', hl: 'en' },
        search_information: {
          query_displayed: 'bees',
          total_results: 13,
          time_taken_displayed: 0,
          organic_results_state: 'Results for exact spelling',
        },
        organic_results: [
          {
            position: 1,
            title: 'Page 1',
            link: 'https://site1.example/docs/page',
            displayed_link: 'https://site1.example/docs/page',
            snippet: 'Excerpt 1',
            date: 'May 1, 2026',
            source: 'site1.example',
          },
          {
            position: 2,
            title: 'Page 2',
            link: 'https://site2.example/docs/page',
            displayed_link: 'https://site2.example/docs/page',
            snippet: 'Excerpt 2',
            source: 'site2.example',
          },
        ],
      },
    ])
    expect(log).toMatchObject([{ dialect: 'serpapi', path: at, status: 200 }])
  })

  test('answers a request as LangChain sends it to its baseUrl, with the key in the query string', async () => {
    const { get, log, executor } = testApp(found(3), { keys: ['secret-5d'] })
    const sent =
      'location=Austin%2CTexas%2CUnited+States&hl=en&gl=us&output=json&api_key=secret-5d&engine=google&q=bees'
    const { status, body, headers } = await get(`/serpapi/search?${sent}`)
    expect([status, body.organic_results[0].snippet]).toEqual([200, 'Excerpt 1'])
    expect(executor.requests).toMatchObject([
      { query: 'bees', filters: { country: 'US', city: 'Austin', region: 'Texas', language: 'en' } },
    ])
    expect(headers.get('x-csp-ignored')).toBeNull()
    expect((await get(`${path}?q=bees&api_key=secret-5d`)).status).toBe(200)
    expect(JSON.stringify([log, body])).not.toContain('secret-5d')
  })

  test('answers a request as Open WebUI sends it, and has no list where nothing was found', async () => {
    const { body } = await testApp(found(0)).get('/serpapi/search?engine=google&q=bees&api_key=any')
    expect(body).not.toHaveProperty('organic_results')
    expect(body.error).toBe("Google hasn't returned any results for this query.")
    expect(body.search_metadata.status).toBe('Success')
  })

  test.each([
    ['tbm=nws', 'site1.example'],
    ['engine=google_news', { name: 'site1.example' }],
  ])('finds news with %s', async (query, source) => {
    const { get, executor } = testApp(found(1))
    const { body } = await get(`${path}?q=bees&${query}`)
    expect(body.news_results).toEqual([
      {
        position: 1,
        title: 'Page 1',
        link: 'https://site1.example/docs/page',
        source,
        date: 'May 1, 2026',
        snippet: 'Excerpt 1',
      },
    ])
    expect(executor.requests[0]?.filters.category).toBe('news')
  })

  test.each([
    ['engine=google_scholar', { category: 'academic' }, null],
    ['engine=duckduckgo', {}, null],
    ['tbs=qdr:d&safe=active', { freshness: 'day', safeSearch: 'strict' }, null],
    ['google_domain=google.de&device=mobile', {}, 'google_domain, device'],
    ['no_cache=true', {}, 'no_cache'],
  ])('%s narrows the search to %j', async (query, filters, ignored) => {
    const { get, executor } = testApp()
    const { status, headers } = await get(`${path}?q=bees&${query}`)
    expect([status, headers.get('x-csp-ignored')]).toEqual([200, ignored])
    expect(JSON.parse(JSON.stringify(executor.requests[0]?.filters))).toEqual(filters)
  })

  test.each([
    ['', 'q'],
    ['q=', 'q'],
    ['q=bees&num=0', 'num'],
    ['q=bees&start=-1', 'start'],
    ['q=bees&engine=google_maps', 'engine'],
    ['q=bees&tbm=isch', 'tbm'],
    ['q=bees&tbs=qdr:x', 'tbs'],
    ['q=bees&output=html', 'output'],
  ])('refuses "%s" with an error that names %s, and makes no search', async (query, field) => {
    const { get, executor } = testApp()
    const { status, body } = await get(`${path}?${query}`)
    expect([status, body]).toEqual([400, { error: expect.stringContaining(`${field}: `) }])
    expect(executor.calls).toHaveLength(0)
  })

  test('leaves the instance of SearXNG beside it alone', async () => {
    const { get, log } = testApp()
    expect((await get('/search?q=bees&format=json')).body).toHaveProperty('results')
    expect((await get('/search?q=bees&engine=google')).status).toBe(403)
    expect(log).toMatchObject([{ dialect: 'searxng' }, { dialect: 'searxng' }])
  })
})
