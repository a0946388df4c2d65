import { describe, expect, test } from 'bun:test'
import { found } from '../../../support/scripted-executor.ts'
import { testApp } from '../../test-app.ts'

const ask = { query: 'bees' }
const first = { url: 'https://site1.example/docs/page', title: 'Page 1', position: 1 }

test('every field of a Firecrawl request reaches the search', async () => {
  const { post, executor } = testApp()
  const { headers } = await post('/v2/search', {
    ...ask,
    limit: 7,
    sources: ['news'],
    includeDomains: ['Example.com'],
    excludeDomains: [],
    tbs: 'qdr:w',
    country: 'de',
    lang: 'de',
    location: 'Berlin,Germany',
    scrapeOptions: { formats: ['markdown'] },
    timeout: 60_000,
  })
  expect(executor.calls[0]?.request).toEqual({
    query: 'bees',
    history: [],
    want: 'results',
    effort: 'fast',
    limit: 7,
    filters: {
      includeDomains: ['example.com'],
      freshness: 'week',
      country: 'DE',
      city: 'Berlin',
      language: 'de',
      category: 'news',
    },
  })
  expect(headers.get('x-csp-ignored')).toBe('scrapeOptions, timeout')
})

test.each(['/v2/search', '/firecrawl/v2/search'])('%s returns a list for each kind of source', async (path) => {
  const { post, executor } = testApp(found(12))
  const { body } = await post(path, ask)
  expect(body).toMatchObject({ success: true, warning: null, id: 'id-1', creditsUsed: 0 })
  expect(body.data.web).toHaveLength(5)
  expect(body.data.web.slice(0, 3)).toEqual([
    { ...first, description: 'Excerpt 1', publishedDate: '2026-05-01' },
    expect.not.objectContaining({ publishedDate: expect.anything() }),
    expect.objectContaining({ description: '', position: 3 }),
  ])
  expect(executor.calls[0]?.request.limit).toBeUndefined()
})

test('version 1 of the Firecrawl API returns one list of results', async () => {
  const { body } = await testApp().post('/firecrawl/v1/search', { ...ask, limit: 2 })
  expect(body).toEqual({
    success: true,
    data: [
      { ...first, description: 'Excerpt 1', publishedDate: '2026-05-01' },
      { url: 'https://site2.example/docs/page', title: 'Page 2', description: 'Excerpt 2', position: 2 },
    ],
  })
})

test('a Firecrawl reply puts the rows under one kind, and the other requested kinds are empty', async () => {
  const { post } = testApp(found(1))
  const both = await post('/v2/search', { ...ask, sources: ['news', { type: 'web' }, 'images'] })
  expect(both.body.data).toMatchObject({ web: [{ title: 'Page 1' }], news: [], images: [] })
  const news = await post('/v2/search', { ...ask, sources: [{ type: 'news' }] })
  expect(news.body.data).toEqual({ news: [{ ...first, snippet: 'Excerpt 1', date: '2026-05-01' }] })
})

test.each([
  ['qdr:h', { freshness: 'hour' }],
  ['qdr:n10', { freshness: 'hour' }],
  ['qdr:n', { freshness: 'hour' }],
  ['qdr:n90', { freshness: 'day' }],
  ['qdr:s30', { freshness: 'hour' }],
  ['sbd:1,qdr:n45', { freshness: 'hour' }],
  ['qdr:h6', { freshness: 'day' }],
  ['qdr:d3', { freshness: 'week' }],
  ['sbd:1,qdr:m', { freshness: 'month' }],
  ['qdr:y5', {}],
  ['cdr:1,cd_min:3/1/2026,cd_max:3/31/2026', { publishedAfter: '2026-03-01', publishedBefore: '2026-03-31' }],
  ['cdr:1,cd_min:03/01/2026', { publishedAfter: '2026-03-01' }],
  ['sbd:1', {}],
])('the tbs value %s becomes a filter', async (tbs, filters) => {
  const { post, executor } = testApp()
  await post('/v2/search', { ...ask, tbs })
  expect(executor.calls[0]?.request.filters).toEqual(filters as object)
})

describe('a Firecrawl request is refused', () => {
  const cases: readonly [name: string, field: string, body: object][] = [
    ['no query', 'query', {}],
    ['no rows', 'limit', { ...ask, limit: 0 }],
    ['101 rows', 'limit', { ...ask, limit: 101 }],
    ['a source', 'sources[0]', { ...ask, sources: ['films'] }],
    ['images alone', 'sources', { ...ask, sources: ['images'] }],
    ['a time', 'tbs', { ...ask, tbs: 'qdr:q' }],
    ['no such date', 'tbs', { ...ask, tbs: 'cdr:1,cd_min:2/30/2026' }],
    ['a range from its end', 'tbs', { ...ask, tbs: 'cdr:1,cd_min:3/2/2026,cd_max:3/1/2026' }],
    ['no domain', 'excludeDomains[0]', { ...ask, excludeDomains: ['not a domain'] }],
  ]

  test.each(cases)('with 400, naming the field: %s', async (_name, field, body) => {
    const { post, executor } = testApp()
    const reply = await post('/v2/search', body)
    expect(reply.status).toBe(400)
    expect(reply.body).toMatchObject({ success: false, code: 'INVALID_REQUEST' })
    expect(reply.body.error).toStartWith(`${field}: `)
    expect(executor.calls).toHaveLength(0)
  })
})
