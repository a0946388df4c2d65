import { describe, expect, test } from 'bun:test'
import type { Category } from '../../../../src/domain/search.ts'
import { found } from '../../../support/scripted-executor.ts'
import { testApp } from '../../test-app.ts'

const form = (fields: Record<string, string>) => ({ method: 'POST', body: new URLSearchParams(fields) })

test('a SearXNG reply has every list, also the empty ones', async () => {
  const { status, body } = await testApp().get('/search?q=bees&format=json')
  expect(status).toBe(200)
  expect(body).toEqual({
    query: 'bees',
    number_of_results: 0,
    results: [
      {
        url: 'https://site1.example/docs/page',
        title: 'Page 1',
        content: 'Excerpt 1',
        publishedDate: '2026-05-01T00:00:00',
        thumbnail: '',
        engine: 'scripted',
        engines: ['scripted'],
        positions: [1],
        score: 1,
        category: 'general',
        template: 'default.html',
        parsed_url: ['https', 'site1.example', '/docs/page', '', '', ''],
      },
      expect.objectContaining({ title: 'Page 2', publishedDate: null, score: 1 / 2 }),
      expect.objectContaining({ title: 'Page 3', content: '', score: 1 / 3 }),
    ],
    answers: [],
    corrections: [],
    infoboxes: [],
    suggestions: [],
    unresponsive_engines: [],
  })
})

test.each([
  [
    [4.5, 2],
    [4.5, 2],
  ],
  // Of several backends, one measure for all.
  [
    [4.5, undefined],
    [1, 0.5],
  ],
])('rows that a backend has scored as %p have the scores %p', async (scores, expected) => {
  const results = scores.map((score, index) => ({
    ...{ title: 'A', url: `https://a.example/${index}`, source: 'searxng', score },
  }))
  const [start, , end] = found(1)
  if (typeof start !== 'object' || typeof end !== 'object') throw new Error('There are no events.')
  const { get } = testApp([start, { type: 'search-results', id: 'search-1', results }, end])
  const { body } = await get('/search?q=bees&format=json')
  expect(body.results.map(({ score }: { score: number }) => score)).toEqual(expected)
})

test('every field of a SearXNG request reaches the search', async () => {
  const { get, executor } = testApp(found(9))
  const { body } = await get(
    '/searxng/search?q=bees&format=json&categories=music,news&language=de-DE&pageno=3&time_range=month&safesearch=2&results_per_page=4&engines=bing',
  )
  expect(executor.calls[0]?.request).toEqual({
    query: 'bees',
    history: [],
    want: 'results',
    effort: 'fast',
    limit: 4,
    offset: 8,
    filters: { category: 'news', language: 'de-de', freshness: 'month', safeSearch: 'strict' },
  })
  expect(body.results).toHaveLength(4)
  expect(body.results[0].category).toBe('music')
})

test('a SearXNG page has ten rows by default and sets no limit on the search', async () => {
  const { get, executor } = testApp(found(15))
  const { body } = await get('/search?q=bees&format=json')
  expect(body.results).toHaveLength(10)
  expect(executor.calls[0]?.request).toEqual({
    query: 'bees',
    history: [],
    want: 'results',
    effort: 'fast',
    filters: {},
  })
  await get('/search?q=bees&format=json&pageno=2')
  expect(executor.calls[1]?.request).toMatchObject({ offset: 10 })
})

test('an empty parameter of a SearXNG client is treated as absent', async () => {
  const { get, executor } = testApp()
  const { status } = await get(
    '/search?q=bees&format=json&pageno=1&safesearch=&language=all&time_range=&categories=&theme=simple&image_proxy=0',
  )
  expect(status).toBe(200)
  expect(executor.calls[0]?.request.filters).toEqual({})
})

test.each<[string, Category | undefined]>([
  ['general,news', undefined],
  ['science', 'academic'],
  ['IT', 'code'],
  ['videos', 'videos'],
  ['map', undefined],
])('categories %s', async (categories, category) => {
  const { get, executor } = testApp()
  await get(`/search?q=bees&format=json&categories=${categories}`)
  expect(executor.calls[0]?.request.filters.category).toBe(category)
})

test.each([
  ['engines=bing', 'engines'],
  ['categories=music,map', 'categories'],
  ['engines=bing&categories=files', 'categories, engines'],
  ['engines=&categories=general&theme=', null],
  ['theme=simple', 'theme'],
  ['categories=music,news', null],
])('the query %s has x-csp-ignored set to %p', async (query, ignored) => {
  const { headers } = await testApp().get(`/search?q=bees&format=json&${query}`)
  expect(headers.get('x-csp-ignored')).toBe(ignored)
})

describe('a POST to the SearXNG search', () => {
  test.each([
    ['a form', '/search', form({ q: 'bees', format: 'json', time_range: 'day' })],
    ['a query string alone', '/search?q=bees&format=json&time_range=day', { method: 'POST' }],
    ['a form and a query string', '/search?format=json&q=wasps', form({ q: 'bees', time_range: 'day' })],
    ['a form under the prefix', '/searxng/search', form({ q: 'bees', format: 'json', time_range: 'day' })],
    ['the prefix under /v1', '/v1/searxng/search?q=bees&format=json&time_range=day', { method: 'POST' }],
  ])('may come as %s', async (_name, path, init) => {
    const { request, executor } = testApp()
    const response = await request(path, init)
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ query: 'bees', answers: [] })
    expect(executor.calls[0]?.request).toMatchObject({ query: 'bees', filters: { freshness: 'day' } })
  })

  test.each([
    'application/json',
    'text/plain',
    // What curl calls everything.
    'application/x-www-form-urlencoded',
  ])('with JSON at /search belongs to Perplexity, even as %s', async (type) => {
    const { request } = testApp()
    const init = { method: 'POST', body: ' {"query": "bees"}', headers: { 'content-type': type } }
    const body = await (await request('/search', init)).json()
    expect(body).toMatchObject({ id: 'id-1' })
    expect(body).not.toHaveProperty('answers')
  })

  test('is refused when its form is beyond the limit', async () => {
    const { request, executor } = testApp(undefined, { maximumBodyBytes: 20 })
    const response = await request('/search', form({ q: 'bees that hum in spring', format: 'json' }))
    expect(response.status).toBe(413)
    expect(executor.calls).toHaveLength(0)
  })
})

describe('a SearXNG request is refused', () => {
  test.each([
    ['no query', 'format=json', 'q'],
    ['white space', 'q=%20&format=json', 'q'],
    ['a page 0', 'q=bees&format=json&pageno=0', 'pageno'],
    ['a page x', 'q=bees&format=json&pageno=x', 'pageno'],
    ['a time', 'q=bees&format=json&time_range=decade', 'time_range'],
    ['safe search 3', 'q=bees&format=json&safesearch=3', 'safesearch'],
    ['a language', 'q=bees&format=json&language=in%20German', 'language'],
  ])('with 400, naming the parameter: %s', async (_name, query, field) => {
    const { get, executor } = testApp()
    const { status, body } = await get(`/search?${query}`)
    expect(status).toBe(400)
    expect(body).toEqual({ error: expect.stringMatching(new RegExp(`^${field}: `)) })
    expect(executor.calls).toHaveLength(0)
  })

  test.each(['', '&format=', '&format=html', '&format=csv', '&format=rss'])(
    'with 403 for any format but JSON: "%s"',
    async (text) => {
      const { get, executor } = testApp()
      const { status, body } = await get(`/search?q=bees${text}`)
      expect(status).toBe(403)
      expect(body).toEqual({ error: 'Only format=json is served here.' })
      expect(executor.calls).toHaveLength(0)
    },
  )
})
