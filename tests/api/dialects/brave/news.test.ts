import { describe, expect, test } from 'bun:test'
import { found } from '../../../support/scripted-executor.ts'
import { testApp } from '../../test-app.ts'

const path = '/res/v1/news/search'

test('every parameter of a Brave news request reaches the search, by GET and by POST', async () => {
  const { get, post, executor } = testApp()
  await get(
    `${path}?&q=bees+site:a.example&count=30&offset=2&country=de&search_lang=jp&safesearch=off&freshness=pd&junk=1`,
  )
  await post(path, {
    q: 'bees site:a.example',
    count: 30,
    offset: 2,
    country: 'DE',
    search_lang: 'jp',
    safesearch: 'off',
    freshness: 'pd',
    goggles: null,
  })
  expect(executor.calls[0]?.request).toEqual({
    query: 'bees site:a.example',
    history: [],
    want: 'results',
    effort: 'fast',
    limit: 30,
    offset: 60,
    filters: {
      country: 'DE',
      language: 'ja',
      safeSearch: 'off',
      freshness: 'day',
      category: 'news',
      includeDomains: ['a.example'],
    },
  })
  expect(executor.calls[1]?.request).toEqual(executor.calls[0]?.request)
})

test('a Brave news request without a count sets no limit and returns 20 rows', async () => {
  const { get, executor } = testApp(found(30))
  const { body } = await get(`${path}?q=bees&offset=1`)
  expect(executor.calls[0]?.request.limit).toBeUndefined()
  expect(executor.calls[0]?.request.offset).toBe(20)
  expect(body.results).toHaveLength(20)
  expect(body.query.more_results_available).toBe(true)
})

test('a Brave news reply has its results at the top level and leaves out unknown fields', async () => {
  const response = await testApp().request(`${path}?q=bees`)
  const text = await response.text()
  expect(text).not.toContain('null')
  const { results, ...body } = JSON.parse(text)
  expect(body).toEqual({ type: 'news', query: { original: 'bees', more_results_available: false } })
  expect(results).toHaveLength(3)
  expect(results[0]).toEqual({
    type: 'news_result',
    title: 'Page 1',
    url: 'https://site1.example/docs/page',
    description: 'Excerpt 1',
    age: 'May 1, 2026',
    page_age: '2026-05-01T00:00:00',
    family_friendly: true,
    breaking: false,
    is_live: false,
    meta_url: {
      scheme: 'https',
      netloc: 'site1.example',
      hostname: 'site1.example',
      favicon: 'https://site1.example/favicon.ico',
      path: '› docs › page',
    },
  })
  expect(results[1]).not.toHaveProperty('age')
  expect(results[1]).not.toHaveProperty('page_age')
  expect(results[2].description).toBe('')
})

test('a Brave news reply has no more rows than requested, and an empty list when nothing is found', async () => {
  expect((await testApp(found(9)).get(`${path}?q=bees&count=4`)).body.results).toHaveLength(4)
  expect((await testApp(found(0)).get(`${path}?q=bees`)).body.results).toEqual([])
})

test('a Brave news reply names the fields that have no effect in x-csp-ignored', async () => {
  const query = 'goggles=a&extra_snippets=1&spellcheck=1&ui_lang=de-DE&include_fetch_metadata=true'
  const { headers } = await testApp().get(`${path}?q=bees&${query}`)
  expect(headers.get('x-csp-ignored')).toBe('extra_snippets, goggles, spellcheck, ui_lang, include_fetch_metadata')
  expect(headers.get('x-ratelimit-limit')).toBe('20, 0')
})

describe('a Brave news request is refused', () => {
  test.each([
    ['no query', 'count=5', 'q', 'missing'],
    ['601 characters', `q=${'x'.repeat(601)}`, 'q', 'string_too_long'],
    ['76 words', `q=${'x+'.repeat(76)}`, 'q', 'too_many_words'],
    ['count 0', 'q=bees&count=0', 'count', 'greater_than_equal'],
    ['count 51', 'q=bees&count=51', 'count', 'less_than_equal'],
    ['offset 10', 'q=bees&offset=10', 'offset', 'less_than_equal'],
    ['safesearch', 'q=bees&safesearch=maybe', 'safesearch', 'enum'],
    ['freshness', 'q=bees&freshness=hour', 'freshness', 'value_error'],
    ['country', 'q=bees&country=XX', 'country', 'enum'],
    ['search_lang', 'q=bees&search_lang=xx', 'search_lang', 'enum'],
    ['ui_lang', 'q=bees&ui_lang=de', 'ui_lang', 'string_pattern_mismatch'],
    ['extra_snippets', 'q=bees&extra_snippets=some', 'extra_snippets', 'bool_type'],
  ])('with 422, naming the field: %s', async (_name, query, field, type) => {
    const { get, executor } = testApp()
    const { status, body } = await get(`${path}?${query}`)
    expect(status).toBe(422)
    expect(body.error.code).toBe('VALIDATION')
    expect(body.error.detail).toContain(`${field}: `)
    expect(body.error.meta.errors).toMatchObject([{ type, loc: ['query', field] }])
    expect(executor.calls).toHaveLength(0)
  })

  test('with an error that names the field of a JSON body', async () => {
    const { status, body } = await testApp().post(path, { q: 'bees', count: 51 })
    expect(status).toBe(422)
    expect(body.error.meta.errors).toMatchObject([{ loc: ['body', 'count'], ctx: { le: 50 } }])
  })
})
