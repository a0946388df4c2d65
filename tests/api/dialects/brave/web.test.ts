import { describe, expect, test } from 'bun:test'
import { found } from '../../../support/scripted-executor.ts'
import { testApp } from '../../test-app.ts'

const path = '/res/v1/web/search'

describe('a Brave web request', () => {
  test('passes every parameter on to the search', async () => {
    const { get, executor } = testApp()
    await get(`${path}?q=%20bees%20&count=5&offset=2&country=de&search_lang=jp&safesearch=strict&freshness=pw&junk=1`)
    expect(executor.calls[0]?.request).toEqual({
      query: 'bees',
      history: [],
      want: 'results',
      effort: 'fast',
      limit: 5,
      offset: 10,
      filters: { country: 'DE', language: 'ja', safeSearch: 'strict', freshness: 'week' },
    })
  })

  test('means the same by POST and by GET', async () => {
    const { get, post, executor } = testApp()
    await get(`${path}?q=bees&count=5&result_filter=web,query&spellcheck=0&freshness=2026-01-01to2026-02-01`)
    await post(path, {
      q: 'bees',
      count: 5,
      result_filter: ['web', 'query'],
      spellcheck: false,
      freshness: '2026-01-01to2026-02-01',
    })
    expect(executor.calls).toHaveLength(2)
    expect(executor.calls[0]?.request).toEqual(executor.calls[1]?.request)
    expect(executor.calls[1]?.request.filters).toMatchObject({
      publishedAfter: '2026-01-01',
      publishedBefore: '2026-02-01',
    })
  })

  test('may have a single day as its range of dates', async () => {
    const { get, executor } = testApp()
    await get(`${path}?q=bees&freshness=2026-03-01to2026-03-01`)
    expect(executor.calls[0]?.request.filters).toEqual({ publishedAfter: '2026-03-01', publishedBefore: '2026-03-01' })
  })

  test('sets no filter that the caller did not set', async () => {
    const { get, executor } = testApp()
    await get(`${path}?q=bees&country=ALL&freshness=&result_filter=`)
    expect(executor.calls[0]?.request).toEqual({
      query: 'bees',
      history: [],
      want: 'results',
      effort: 'fast',
      filters: {},
    })
  })

  test('without a count is for a page of 20 rows', async () => {
    const { get, executor } = testApp()
    await get(`${path}?q=bees&offset=2`)
    expect(executor.calls[0]?.request).toMatchObject({ offset: 40 })
    expect(executor.calls[0]?.request.limit).toBeUndefined()
  })

  test.each([
    ['de', '', 'DE'],
    ['fr', '&country=DE', 'DE'],
    ['fr', '&country=ALL', undefined],
    ['France', '', undefined],
    ['', '', undefined],
  ])('with X-Loc-Country: %s and the query "%s" searches in the right country', async (header, query, country) => {
    const { get, executor } = testApp()
    await get(`${path}?q=bees${query}`, { 'X-Loc-Country': header })
    expect(executor.calls[0]?.request.filters.country).toBe(country)
  })

  test.each(['true', 'True', '1', 'false', 'False', '0', 'on', 'no'])('accepts %s as a boolean', async (spelling) => {
    const { get } = testApp()
    const { status } = await get(`${path}?q=bees&spellcheck=${spelling}&extra_snippets=${spelling}`)
    expect(status).toBe(200)
  })
})

describe('a Brave web reply', () => {
  test('has a row with all known fields', async () => {
    const { body, headers } = await testApp().get(`${path}?q=bees`)
    expect(body.type).toBe('search')
    expect(body.query).toEqual({ original: 'bees', more_results_available: false })
    expect(body.web.results[0]).toEqual({
      type: 'search_result',
      subtype: 'generic',
      title: 'Page 1',
      url: 'https://site1.example/docs/page',
      description: 'Excerpt 1',
      age: 'May 1, 2026',
      page_age: '2026-05-01T00:00:00',
      language: 'en',
      family_friendly: true,
      is_source_local: false,
      is_source_both: false,
      is_live: false,
      meta_url: {
        scheme: 'https',
        netloc: 'site1.example',
        hostname: 'site1.example',
        favicon: 'https://site1.example/favicon.ico',
        path: '› docs › page',
      },
    })
    expect(headers.get('x-ratelimit-remaining')).toBe('20, 0')
  })

  test('leaves unknown fields out, except for the description, which is then empty', async () => {
    const response = await testApp().request(`${path}?q=bees`)
    const text = await response.text()
    expect(text).not.toContain('null')
    const { results } = JSON.parse(text).web
    expect(results[1]).not.toHaveProperty('age')
    expect(results[1]).not.toHaveProperty('page_age')
    expect(results[2].description).toBe('')
  })

  test('has no more rows than requested', async () => {
    const { body } = await testApp(found(9)).get(`${path}?q=bees&count=4`)
    expect(body.web.results).toHaveLength(4)
    expect(body.query.more_results_available).toBe(true)
  })

  test('has 20 rows without a count', async () => {
    expect((await testApp(found(30)).get(`${path}?q=bees`)).body.web.results).toHaveLength(20)
  })

  test('reports no more results after the last page', async () => {
    const { body } = await testApp(found(9)).get(`${path}?q=bees&count=4&offset=9`)
    expect(body.query.more_results_available).toBe(false)
  })

  test('has no group without rows', async () => {
    const { status, body } = await testApp(found(0)).get(`${path}?q=bees`)
    expect(status).toBe(200)
    expect(body).toEqual({ type: 'search', query: { original: 'bees', more_results_available: false } })
  })
})

describe('the parameter result_filter', () => {
  test('with web returns pages, whatever else it names', async () => {
    const { get, executor } = testApp()
    const { body } = await get(`${path}?q=bees&result_filter=news,web,faq`)
    expect(Object.keys(body)).toEqual(['type', 'query', 'web'])
    expect(executor.calls[0]?.request.filters.category).toBeUndefined()
  })

  test('with news and without web searches the news', async () => {
    const { get, executor } = testApp()
    const { body } = await get(`${path}?q=bees&result_filter=query,news`)
    expect(Object.keys(body)).toEqual(['type', 'query', 'news'])
    expect(body.news.type).toBe('news')
    expect(body.news.results[0]).toMatchObject({
      type: 'news_result',
      title: 'Page 1',
      page_age: '2026-05-01T00:00:00',
    })
    expect(executor.calls[0]?.request.filters.category).toBe('news')
  })

  test('with neither of them costs no search', async () => {
    const { get, executor, log } = testApp()
    const { status, body, headers } = await get(`${path}?q=bees&result_filter=videos,faq,locations`)
    expect(status).toBe(200)
    expect(body).toEqual({ type: 'search', query: { original: 'bees', more_results_available: false } })
    expect(executor.calls).toHaveLength(0)
    expect(headers.get('x-cache')).toBeNull()
    expect(headers.get('x-ratelimit-remaining')).toBe('20, 0')
    expect(log).toMatchObject([{ status: 200 }])
  })
})

describe('operators in a Brave query', () => {
  const cases: readonly [
    query: string,
    included: string[] | undefined,
    excluded: string[] | undefined,
    rest: string,
  ][] = [
    ['bees site:Example.com', ['example.com'], undefined, 'bees'],
    ['site:a.example OR site:b.example bees', ['a.example', 'b.example'], undefined, 'bees'],
    ['bees -site:example.com SITE:.gov', ['gov'], ['example.com'], 'bees'],
    ['bees NOT site:example.com', undefined, ['example.com'], 'bees'],
    ['bees site:bücher.example', ['xn--bcher-kva.example'], undefined, 'bees'],
  ]

  test.each(cases)('become domain filters: %s', async (query, includeDomains, excludeDomains, rest) => {
    const { get, executor } = testApp()
    const { body } = await get(`${path}?q=${encodeURIComponent(query)}`)
    expect(executor.calls[0]?.request.query).toBe(query)
    expect(executor.calls[0]?.request.filters).toEqual({ includeDomains, excludeDomains })
    expect(body.query).toMatchObject({
      original: query,
      search_operators: { applied: true, cleaned_query: rest, sites: includeDomains ?? [] },
    })
  })

  test.each([
    'bees -wasps "in winter"',
    '"what site:example.com means"',
    'bees site:example.com/garden',
    'bees -site:example.com/garden',
    'bees site:',
    'website:example.com',
    'bees site:*',
  ])('name no site in: %s', async (query) => {
    const { get, executor } = testApp()
    const { body } = await get(`${path}?q=${encodeURIComponent(query)}`)
    expect(executor.calls[0]?.request).toMatchObject({ query, filters: {} })
    expect(executor.calls[0]?.request.filters).toEqual({})
    expect(body.query).not.toHaveProperty('search_operators')
  })

  test('have no effect when they are switched off', async () => {
    const { get, executor } = testApp()
    await get(`${path}?q=bees+site:example.com&operators=false`)
    expect(executor.calls[0]?.request.filters).toEqual({})
  })
})

describe('a Brave web reply names the fields without effect in x-csp-ignored', () => {
  test.each([
    ['goggles=https://g.example&goggles_id=x&units=metric&summary=1', 'goggles, goggles_id, units'],
    ['goggles=a&goggles=b&extra_snippets=true', 'extra_snippets, goggles'],
    ['ui_lang=de-DE&text_decorations=1&spellcheck=1', 'ui_lang, text_decorations, spellcheck'],
    ['enable_rich_callback=1&include_fetch_metadata=1', 'enable_rich_callback, include_fetch_metadata'],
    ['text_decorations=false&spellcheck=0&extra_snippets=no&summary=0&goggles=', null],
    ['count=5&country=DE&search_lang=de&safesearch=strict&freshness=pd&offset=1&result_filter=web&operators=1', null],
  ])('for the query %s', async (query, ignored) => {
    const { status, headers, body } = await testApp().get(`${path}?q=bees&${query}`)
    expect(status).toBe(200)
    expect(headers.get('x-csp-ignored')).toBe(ignored)
    expect(body.web.results[0]).not.toHaveProperty('extra_snippets')
  })
})

describe('a Brave web request is refused', () => {
  const cases: readonly [name: string, query: string, field: string, type: string, context?: object][] = [
    ['no query', 'count=5', 'q', 'missing'],
    ['an empty query', 'q=', 'q', 'string_too_short', { min_length: 1 }],
    ['a blank query', 'q=%20%20%09', 'q', 'string_too_short', { min_length: 1 }],
    ['601 characters', `q=${'x'.repeat(601)}`, 'q', 'string_too_long', { max_length: 600 }],
    ['76 words', `q=${'x+'.repeat(76)}`, 'q', 'too_many_words', { max_words: 75 }],
    ['count 0', 'q=bees&count=0', 'count', 'greater_than_equal', { ge: 1 }],
    ['count 999', 'q=bees&count=999', 'count', 'less_than_equal', { le: 20 }],
    ['count 5x', 'q=bees&count=5x', 'count', 'int_parsing'],
    ['count 1.5', 'q=bees&count=1.5', 'count', 'int_parsing'],
    ['an empty count', 'q=bees&count=', 'count', 'int_parsing'],
    ['offset -1', 'q=bees&offset=-1', 'offset', 'greater_than_equal', { ge: 0 }],
    ['offset 10', 'q=bees&offset=10', 'offset', 'less_than_equal', { le: 9 }],
    ['safesearch', 'q=bees&safesearch=maybe', 'safesearch', 'enum', { expected: "'off', 'moderate' or 'strict'" }],
    ['freshness', 'q=bees&freshness=pz', 'freshness', 'value_error'],
    ['no such date', 'q=bees&freshness=2026-02-30to2026-03-01', 'freshness', 'date_from_datetime_parsing'],
    ['a range from its end', 'q=bees&freshness=2026-03-02to2026-03-01', 'freshness', 'value_error'],
    ['country', 'q=bees&country=XX', 'country', 'enum'],
    ['search_lang', 'q=bees&search_lang=xx', 'search_lang', 'enum'],
    ['ui_lang', 'q=bees&ui_lang=english', 'ui_lang', 'string_pattern_mismatch'],
    ['a boolean', 'q=bees&spellcheck=perhaps', 'spellcheck', 'bool_type'],
    ['units', 'q=bees&units=stones', 'units', 'enum'],
    ['extra_snippets', 'q=bees&extra_snippets=5', 'extra_snippets', 'bool_type'],
  ]

  test.each(cases)('with 422, naming the parameter: %s', async (...row) => {
    const [, query, field, type, context] = row
    const { get, executor } = testApp()
    const { status, body, headers } = await get(`${path}?${query}`)
    expect(status).toBe(422)
    expect(body).toMatchObject({ type: 'ErrorResponse', time: 1795168800, error: { status: 422, code: 'VALIDATION' } })
    expect(body.error.id).toBe('id-1')
    expect(body.error.detail).toContain(`${field}: `)
    expect(body.error.meta.errors).toHaveLength(1)
    expect(body.error.meta.errors[0]).toMatchObject({ type, loc: ['query', field] })
    if (context) expect(body.error.meta.errors[0].ctx).toEqual(context)
    expect(headers.get('x-ratelimit-limit')).toBe('20, 0')
    expect(executor.calls).toHaveLength(0)
  })

  test('with an error for each wrong field and its value', async () => {
    const { body } = await testApp().get(`${path}?q=bees&count=0&units=stones`)
    expect(body.error.meta.errors.map(({ loc, input }: { loc: string[]; input: unknown }) => [loc[1], input])).toEqual([
      ['count', '0'],
      ['units', 'stones'],
    ])
  })

  test('with an error that names the index of a list item', async () => {
    const { body } = await testApp().get(`${path}?q=bees&result_filter=web,nonsense`)
    expect(body.error.meta.errors).toMatchObject([
      { type: 'enum', loc: ['query', 'result_filter', 1], input: 'web,nonsense' },
    ])
  })

  test.each([
    ['a number for a query', { q: 5 }, 'q', 'string_type'],
    ['a list for a query', { q: ['bees'] }, 'q', 'string_type'],
    ['a fraction', { q: 'bees', count: 1.5 }, 'count', 'int_from_float'],
    ['a boolean for a number', { q: 'bees', count: true }, 'count', 'int_type'],
    ['a number for a list', { q: 'bees', result_filter: 5 }, 'result_filter', 'list_type'],
  ])('because of its JSON body: %s', async (_name, body, field, type) => {
    const reply = await testApp().post(path, body)
    expect(reply.status).toBe(422)
    expect(reply.body.error.meta.errors[0]).toMatchObject({ type, loc: ['body', field] })
  })

  test('when its body is not an object, holds a number that is not finite, or is not JSON', async () => {
    const list = await testApp().post(path, ['bees'])
    expect(list.body.error.meta.errors[0]).toMatchObject({ type: 'dict_type', loc: ['body'] })
    const endless = await testApp().request(path, { method: 'POST', body: '{"q":"bees","count":1e400}' })
    expect(await endless.json()).toMatchObject({ error: { meta: { errors: [{ loc: ['body', 'count'] }] } } })
    const broken = await testApp().request(path, { method: 'POST', body: '{"q":' })
    expect(broken.status).toBe(422)
    expect(await broken.json()).toMatchObject({
      error: { meta: { errors: [{ type: 'json_invalid', loc: ['body'] }] } },
    })
  })
})
