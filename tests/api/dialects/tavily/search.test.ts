import { describe, expect, test } from 'bun:test'
import type { Freshness } from '../../../../src/domain/search.ts'
import { answered, found, scriptedExecutor } from '../../../support/scripted-executor.ts'
import { testApp } from '../../test-app.ts'

const ask = { query: 'bees' }

test('every field of a Tavily request reaches the search', async () => {
  const { post, executor } = testApp()
  const { status, headers } = await post('/tavily/search', {
    ...ask,
    api_key: 'tvly-old',
    search_depth: 'advanced',
    chunks_per_source: 3,
    max_results: 7,
    topic: 'finance',
    start_date: '2026-03-01',
    end_date: '2026-03-31',
    include_domains: ['Example.com', 'https://docs.example.org/path'],
    exclude_domains: ['*.gov'],
    country: 'United States',
    language: 'de',
    include_raw_content: 'markdown',
    include_images: true,
    auto_parameters: true,
    include_answer: null,
  })
  expect(status).toBe(200)
  expect(headers.get('x-csp-ignored')).toBe(
    'include_raw_content, search_depth, chunks_per_source, include_images, auto_parameters',
  )
  expect(executor.calls[0]?.request).toEqual({
    query: 'bees',
    history: [],
    want: 'results',
    effort: 'fast',
    excerpts: 'pages',
    limit: 7,
    filters: {
      includeDomains: ['example.com', 'docs.example.org'],
      excludeDomains: ['gov'],
      publishedAfter: '2026-03-01',
      publishedBefore: '2026-03-31',
      country: 'US',
      language: 'de',
      category: 'finance',
    },
  })
})

test('a field of a Tavily request that is left out or empty sets no filter', async () => {
  const { post, executor } = testApp()
  await post('/tavily/search', { ...ask, include_domains: [], exclude_domains: [], topic: 'general', language: 'any!' })
  expect(executor.calls[0]?.request).toEqual({ ...ask, history: [], want: 'results', effort: 'fast', filters: {} })
})

test('a Tavily reply has the vendor’s shape', async () => {
  const { body } = await testApp().post('/tavily/search', { ...ask, include_favicon: true, include_usage: true })
  expect(body).toEqual({
    query: 'bees',
    follow_up_questions: null,
    answer: null,
    images: [],
    results: [
      {
        url: 'https://site1.example/docs/page',
        title: 'Page 1',
        content: 'Excerpt 1',
        score: 1,
        raw_content: null,
        published_date: 'Fri, 01 May 2026 00:00:00 GMT',
        favicon: 'https://site1.example/favicon.ico',
      },
      {
        url: 'https://site2.example/docs/page',
        title: 'Page 2',
        content: 'Excerpt 2',
        score: 0.99,
        raw_content: null,
        favicon: 'https://site2.example/favicon.ico',
      },
      expect.objectContaining({ content: '', score: 0.98 }),
    ],
    response_time: 0,
    usage: { credits: 0 },
    request_id: 'id-1',
  })
})

test.each([
  [undefined, 5],
  [0, 0],
  [2, 2],
  [20, 12],
])('max_results %p returns %p rows', async (max_results, rows) => {
  const { post, executor } = testApp(found(12))
  const { body } = await post('/tavily/search', { ...ask, max_results })
  expect(body.results).toHaveLength(rows)
  expect(executor.calls[0]?.request.limit).toBe(max_results || undefined)
})

test.each([
  [true, 'fast'],
  ['basic', 'fast'],
  ['advanced', 'standard'],
] as const)(
  'include_answer %p returns an answer without markers, and its pages, from one %s request',
  async (wish, effort) => {
    const { post, executor } = testApp()
    const { body } = await post('/tavily/search', { ...ask, include_answer: wish })
    expect(body.answer).toBe('It is 🙂 so.')
    expect(body.results).toHaveLength(3)
    expect(executor.calls).toHaveLength(1)
    expect(executor.calls[0]?.request).toMatchObject({ want: 'answer', effort })
  },
)

test('a Tavily reply has no answer when none was requested', async () => {
  const { body } = await testApp(scriptedExecutor(answered)).post('/tavily/search', { ...ask, include_answer: false })
  expect(body.answer).toBeNull()
})

test.each<[object, Freshness | undefined]>([
  [{ time_range: 'w' }, 'week'],
  [{ time_range: 'year', days: 1, topic: 'news' }, 'year'],
  [{ topic: 'news', days: 1 }, 'day'],
  [{ topic: 'news', days: 3 }, 'week'],
  [{ topic: 'news', days: 31 }, 'month'],
  [{ topic: 'news', days: 200 }, 'year'],
  [{ topic: 'news', days: 1000 }, undefined],
  [{ days: 7 }, undefined],
  [{ max_hours: 1 }, 'hour'],
  [{ max_hours: 24 }, 'day'],
])('%j is %p', async (fields, freshness) => {
  const { post, executor } = testApp()
  await post('/tavily/search', { ...ask, ...fields })
  expect(executor.calls[0]?.request.filters.freshness).toBe(freshness)
})

test.each([
  ['germany', 'DE'],
  [' United Kingdom', 'GB'],
  ['czech republic', 'CZ'],
  ['bosnia and herzegovina', 'BA'],
  ['myanmar', 'MM'],
  ['turkey', 'TR'],
  ['france', 'FR'],
  ['russia', 'RU'],
  ['us', 'US'],
])('the country %s becomes %s', async (country, code) => {
  const { post, executor } = testApp()
  await post('/tavily/search', { ...ask, country })
  expect(executor.calls[0]?.request.filters.country).toBe(code)
})

describe('a Tavily key in the body, as old clients send it,', () => {
  const keyed = () => testApp(undefined, { keys: ['right'] })

  test('gives access', async () => {
    const { post, executor } = keyed()
    expect((await post('/tavily/search', { ...ask, api_key: 'right' })).status).toBe(200)
    expect((await post('/v1/tavily/search', { ...ask, api_key: 'right' })).status).toBe(200)
    expect(executor.calls.map(({ request }) => request.query)).toEqual(['bees', 'bees'])
  })

  test.each([
    ['wrong', { ...ask, api_key: 'wrong' }],
    ['no text', { ...ask, api_key: 5 }],
    ['not a header', { ...ask, api_key: 'right\r\nx: y' }],
    ['missing', ask],
    ['nowhere', null],
  ])('gives no access when it is %s', async (_name, body) => {
    const { post, executor } = keyed()
    const reply = await post('/tavily/search', body)
    expect(reply.status).toBe(401)
    expect(reply.body.detail.error).toBeString()
    expect(executor.calls).toHaveLength(0)
  })

  test('is ignored when a header has a key too', async () => {
    const { post } = keyed()
    const headers = { authorization: 'Bearer wrong' }
    expect((await post('/tavily/search', { ...ask, api_key: 'right' }, headers)).status).toBe(401)
  })

  test('gives no access to the path of another vendor', async () => {
    const { post } = keyed()
    expect((await post('/exa/search', { ...ask, api_key: 'right' })).status).toBe(401)
  })
})

describe('a Tavily request is refused', () => {
  const cases: readonly [name: string, field: string, body: object][] = [
    ['no query', 'query', {}],
    ['a blank query', 'query', { query: '  ' }],
    ['a number', 'query', { query: 5 }],
    ['21 results', 'max_results', { ...ask, max_results: 21 }],
    ['less than none', 'max_results', { ...ask, max_results: -1 }],
    ['a topic', 'topic', { ...ask, topic: 'sports' }],
    ['an answer', 'include_answer', { ...ask, include_answer: 'long' }],
    ['a time range', 'time_range', { ...ask, time_range: 'decade' }],
    ['no such date', 'start_date', { ...ask, start_date: '2026-02-30' }],
    ['another order of dates', 'end_date', { ...ask, end_date: '03/01/2026' }],
    ['dates from their end', 'end_date', { ...ask, start_date: '2026-03-02', end_date: '2026-03-01' }],
    ['a time range and dates', 'time_range', { ...ask, time_range: 'day', start_date: '2026-03-02' }],
    ['no domain', 'include_domains[1]', { ...ask, include_domains: ['a.com', 'not a domain'] }],
    ['domains as text', 'exclude_domains', { ...ask, exclude_domains: 'a.com' }],
    ['no such country', 'country', { ...ask, country: 'atlantis' }],
    ['a union of countries', 'country', { ...ask, country: 'EU' }],
    ['a date with more behind it', 'start_date', { ...ask, start_date: '2026-03-01junk' }],
    ['days 0', 'days', { ...ask, days: 0 }],
  ]

  test.each(cases)('with 400, naming the field: %s', async (_name, field, body) => {
    const { post, executor } = testApp()
    const reply = await post('/tavily/search', body)
    expect(reply.status).toBe(400)
    expect(reply.body.detail.error).toStartWith(`${field}: `)
    expect(executor.calls).toHaveLength(0)
  })
})
