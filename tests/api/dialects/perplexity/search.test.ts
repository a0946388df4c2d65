import { describe, expect, test } from 'bun:test'
import { SearchError } from '../../../../src/domain/error.ts'
import type { CacheStatus, SearchEvent, SearchResult } from '../../../../src/domain/search.ts'
import { found, pages, type Step, scriptedExecutor, untilAborted } from '../../../support/scripted-executor.ts'
import { fixedNow, testApp } from '../../test-app.ts'

test('every field of a Perplexity search reaches the backend', async () => {
  const { post, executor } = testApp()
  await post('/search', {
    query: 'bees',
    max_results: 5,
    country: 'de',
    search_domain_filter: ['Example.com', 'https://docs.example.org/path'],
    search_language_filter: ['EN', 'fr'],
    search_after_date_filter: '3/1/2026',
    search_before_date: '03/31/2026',
    search_mode: 'web',
    max_tokens: null,
  })
  expect(executor.calls[0]?.request).toEqual({
    query: 'bees',
    history: [],
    want: 'results',
    effort: 'fast',
    limit: 5,
    filters: {
      includeDomains: ['example.com', 'docs.example.org'],
      country: 'DE',
      language: 'en',
      publishedAfter: '2026-03-01',
      publishedBefore: '2026-03-31',
    },
  })
})

test('a Perplexity search reads a leading minus as exclusion, a recency as freshness and null as absent, and takes a list of one query', async () => {
  const { post, executor } = testApp()
  await post('/search', {
    query: ['bees'],
    max_results: null,
    country: null,
    search_domain_filter: ['-example.com', '-.gov'],
    search_recency_filter: 'month',
  })
  const { query, limit, filters } = executor.calls[0]?.request ?? {}
  expect({ query, limit }).toEqual({ query: 'bees', limit: undefined })
  expect(filters).toEqual({ excludeDomains: ['example.com', 'gov'], freshness: 'month' })
})

test('a Perplexity search returns rows in the vendor’s shape and leaves an unknown date out', async () => {
  const { status, body } = await testApp(found(9)).post('/search', { query: 'bees', max_results: 3 })
  expect(status).toBe(200)
  expect(body).toEqual({
    id: 'id-1',
    results: [
      { title: 'Page 1', url: 'https://site1.example/docs/page', snippet: 'Excerpt 1', date: '2026-05-01' },
      { title: 'Page 2', url: 'https://site2.example/docs/page', snippet: 'Excerpt 2' },
      { title: 'Page 3', url: 'https://site3.example/docs/page', snippet: '', date: '2026-05-01' },
    ],
  })
})

test('a Perplexity search returns the time of the server when it is requested', async () => {
  const { body } = await testApp().post('/search', { query: 'bees', display_server_time: true })
  expect(body.server_time).toBe(fixedNow.toISOString())
})

test.each([
  [{ search_mode: 'academic' }, 'academic'],
  [{ search_mode: 'sec' }, 'finance'],
  [{ search_type: 'people' }, 'people'],
  [{ search_mode: 'web', search_type: 'web' }, undefined],
] as const)('a Perplexity search with %j searches in the right category', async (more, category) => {
  const { post, executor } = testApp()
  await post('/search', { query: 'bees', ...more })
  expect(executor.calls[0]?.request.filters.category).toBe(category)
})

test('a Perplexity search accepts fields without effect and names them in x-csp-ignored', async () => {
  const { headers, status } = await testApp().post('/search', {
    query: 'bees',
    last_updated_after_filter: '1/1/2026',
    last_updated_before_filter: null,
    max_tokens: 5,
  })
  expect(status).toBe(200)
  expect(headers.get('x-csp-ignored')).toBe('last_updated_after_filter')
})

test('a Perplexity search for which the backend searched twice returns each page once, and no more than requested', async () => {
  const twice: readonly SearchEvent[] = [
    ...found(3).slice(0, 2),
    { type: 'search-start', id: 's2', query: 'more' },
    { type: 'search-results', id: 's2', results: pages(8) },
    ...found(0).slice(-1),
  ]
  const { body } = await testApp(twice).post('/search', { query: 'bees', max_results: 5 })
  expect(body.results.map(({ title }: SearchResult) => title)).toEqual([1, 2, 3, 4, 5].map((n) => `Page ${n}`))
})

describe('a Perplexity search with several queries', () => {
  /** So many pages of its own, after one that every query finds. */
  const script = (query: string, count: number, status?: CacheStatus): readonly SearchEvent[] => {
    const own = pages(count).map((page) => ({ ...page, title: query, url: `https://${query}.example/${page.title}` }))
    const cache: readonly SearchEvent[] = status ? [{ type: 'cache', status, ageSeconds: query.length }] : []
    return [
      ...cache,
      { type: 'search-start', id: 'same', query },
      { type: 'search-results', id: 'same', results: [...pages(1), ...own] },
      ...found(0).slice(-1),
    ]
  }
  const titles = ({ results }: { results: readonly SearchResult[] }) => results.map(({ title }) => title)

  test('searches for each and returns rows in turn, each page once', async () => {
    const executor = scriptedExecutor(({ query }) => script(query, query === 'bees' ? 2 : 3))
    const { post, log } = testApp(executor)
    const { body } = await post('/search', { query: ['bees', 'wasps', 'bees'], country: 'de' })
    expect(executor.calls.map(({ request }) => request.query)).toEqual(['bees', 'wasps'])
    for (const { request } of executor.calls) expect(request).toMatchObject({ filters: { country: 'DE' } })
    expect(titles(body)).toEqual(['Page 1', 'bees', 'wasps', 'bees', 'wasps', 'wasps'])
    expect(log[0]?.results).toBe(7)
  })

  test('returns at most max_results rows for each', async () => {
    const executor = scriptedExecutor(({ query }) => script(query, 9))
    const { body } = await testApp(executor).post('/search', { query: ['bees', 'wasps'], max_results: 3 })
    expect(titles(body)).toEqual(['Page 1', 'bees', 'wasps', 'bees', 'wasps'])
  })

  test('runs them at the same time', async () => {
    let begun = 0
    const all = Promise.withResolvers<void>()
    // Each waits until all have begun, so one after the other they would never end.
    const meet: Step = () => {
      if (++begun === 3) all.resolve()
      return all.promise
    }
    const executor = scriptedExecutor(({ query }) => [meet, ...script(query, 1)])
    const { status } = await testApp(executor).post('/search', { query: ['bees', 'wasps', 'ants'] })
    expect(status).toBe(200)
  })

  test('stops the others when one fails, and reports its error', async () => {
    const executor = scriptedExecutor(({ query }) =>
      query === 'bees' ? [untilAborted] : [new SearchError('rate-limited', 'Enough.')],
    )
    const { status, body } = await testApp(executor).post('/search', { query: ['bees', 'wasps'] })
    expect(status).toBe(429)
    expect(body.error.message).toBe('Enough.')
    expect(executor.running).toBe(0)
  })

  test('ends all of them when the client leaves', async () => {
    const left = new AbortController()
    let begun = 0
    const leave: Step = (signal) => {
      if (++begun === 2) queueMicrotask(() => left.abort())
      return untilAborted(signal)
    }
    const executor = scriptedExecutor([leave])
    const init = { method: 'POST', body: JSON.stringify({ query: ['bees', 'wasps'] }), signal: left.signal }
    const response = testApp(executor).request('/search', init)
    expect((await response).status).toBe(499)
    expect(executor.running).toBe(0)
  })

  test.each([
    ['hit', 'hit', 'hit', '5'],
    ['hit', 'stale', 'stale', '5'],
    ['hit', 'miss', 'miss', '0'],
  ] as const)('whose cache states are %s and %s reports %s', async (bees, wasps, told, age) => {
    const executor = scriptedExecutor(({ query }) => script(query, 1, query === 'bees' ? bees : wasps))
    const { headers } = await testApp(executor).post('/search', { query: ['bees', 'wasps'] })
    expect([headers.get('x-cache'), headers.get('age')]).toEqual([told, age])
  })
})

test('a Perplexity search without a query is refused with a message that it is missing', async () => {
  expect((await testApp().post('/search', {})).body.error.message).toBe('query: Field required.')
})

describe('a Perplexity search is refused', () => {
  const cases: readonly [name: string, field: string, body: object][] = [
    ['no query', 'query', {}],
    ['null', 'query', { query: null }],
    ['a blank query', 'query', { query: '  \n' }],
    ['4,001 characters', 'query', { query: 'x'.repeat(4001) }],
    ['a number', 'query', { query: 5 }],
    ['six queries', 'query', { query: ['one', 'two', 'three', 'four', 'five', 'six'] }],
    ['a blank query among others', 'query[1]', { query: ['bees', ' '] }],
    ['a number among others', 'query[1]', { query: ['bees', 5] }],
    ['a search mode', 'search_mode', { query: 'bees', search_mode: 'news' }],
    ['no queries', 'query', { query: [] }],
    ['max_results 0', 'max_results', { query: 'bees', max_results: 0 }],
    ['max_results 21', 'max_results', { query: 'bees', max_results: 21 }],
    ['max_results "5"', 'max_results', { query: 'bees', max_results: '5' }],
    ['max_results 2.5', 'max_results', { query: 'bees', max_results: 2.5 }],
    ['a country in full', 'country', { query: 'bees', country: 'Germany' }],
    ['domains as text', 'search_domain_filter', { query: 'bees', search_domain_filter: 'example.com' }],
    ['domains of both kinds', 'search_domain_filter', { query: 'bees', search_domain_filter: ['a.com', '-b.com'] }],
    ['no domain', 'search_domain_filter[1]', { query: 'bees', search_domain_filter: ['a.com', 'not a domain'] }],
    ['21 domains', 'search_domain_filter', { query: 'bees', search_domain_filter: Array(21).fill('a.com') }],
    ['a language in full', 'search_language_filter[0]', { query: 'bees', search_language_filter: ['German!'] }],
    ['recency', 'search_recency_filter', { query: 'bees', search_recency_filter: 'decade' }],
    ['no such date', 'search_after_date_filter', { query: 'bees', search_after_date_filter: '02/30/2026' }],
    ['another order of dates', 'search_before_date', { query: 'bees', search_before_date: '2026-02-03' }],
    [
      'dates from their end',
      'search_before_date_filter',
      { query: 'bees', search_after_date: '3/2/2026', search_before_date: '3/1/2026' },
    ],
    [
      'recency and dates',
      'search_recency_filter',
      { query: 'bees', search_recency_filter: 'day', search_after_date: '3/2/2026' },
    ],
  ]

  test.each(cases)('with 400, naming the field: %s', async (_name, field, body) => {
    const { post, executor } = testApp()
    const reply = await post('/search', body)
    expect(reply.status).toBe(400)
    expect(reply.body.error).toMatchObject({ type: 'invalid_request', code: 400 })
    expect(reply.body.error.message).toStartWith(`${field}: `)
    expect(executor.calls).toHaveLength(0)
  })
})
