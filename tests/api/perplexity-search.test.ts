import { describe, expect, test } from 'bun:test'
import { found } from '../support/scripted-executor.ts'
import { testApp } from './test-app.ts'

test('every field reaches the search', async () => {
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

test('a leading minus denies a domain; a recency is a freshness; null is absent; one query may come in a list', async () => {
  const { post, executor } = testApp()
  await post('/search', {
    query: ['bees'],
    max_results: null,
    country: null,
    search_domain_filter: ['-example.com', '-.gov'],
    search_recency_filter: 'month',
  })
  const { query, limit, filters } = executor.calls[0]?.request ?? {}
  expect({ query, limit }).toEqual({ query: 'bees', limit: 10 })
  expect(filters).toEqual({ excludeDomains: ['example.com', 'gov'], freshness: 'month' })
})

test('rows in the vendor’s shape; an unknown date is left out', async () => {
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

describe('what is refused', () => {
  const cases: readonly [name: string, field: string, body: object][] = [
    ['no query', 'query', {}],
    ['null', 'query', { query: null }],
    ['a blank query', 'query', { query: '  \n' }],
    ['one character', 'query', { query: 'a' }],
    ['4,001 characters', 'query', { query: 'x'.repeat(4001) }],
    ['a number', 'query', { query: 5 }],
    ['several queries', 'query', { query: ['bees', 'wasps'] }],
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

  test.each(cases)('%s', async (_name, field, body) => {
    const { post, executor } = testApp()
    const reply = await post('/search', body)
    expect(reply.status).toBe(400)
    expect(reply.body.error).toMatchObject({ type: 'invalid_request', code: 400 })
    expect(reply.body.error.message).toStartWith(`${field}: `)
    expect(executor.calls).toHaveLength(0)
  })
})
