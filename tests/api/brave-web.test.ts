import { describe, expect, test } from 'bun:test'
import { found } from '../support/scripted-executor.ts'
import { testApp } from './test-app.ts'

const path = '/res/v1/web/search'

describe('what Brave clients ask for', () => {
  test('every parameter reaches the search', async () => {
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

  test('a POST says the same as a GET', async () => {
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

  test('defaults: 20 rows, from the first, anywhere', async () => {
    const { get, executor } = testApp()
    await get(`${path}?q=bees&country=ALL&freshness=`)
    expect(executor.calls[0]?.request).toMatchObject({ limit: 20, offset: 0, filters: {} })
    expect(executor.calls[0]?.request.filters.country).toBeUndefined()
  })

  test.each(['true', 'True', '1', 'false', 'False', '0', 'on', 'no'])('%s is a boolean', async (spelling) => {
    const { get } = testApp()
    const { status } = await get(`${path}?q=bees&spellcheck=${spelling}&extra_snippets=${spelling}`)
    expect(status).toBe(200)
  })
})

describe('what they get', () => {
  test('a row with all that is known', async () => {
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

  test('what is unknown is absent, never null; only the description is empty text', async () => {
    const response = await testApp().request(`${path}?q=bees`)
    const text = await response.text()
    expect(text).not.toContain('null')
    const { results } = JSON.parse(text).web
    expect(results[1]).not.toHaveProperty('age')
    expect(results[1]).not.toHaveProperty('page_age')
    expect(results[2].description).toBe('')
  })

  test('never more rows than asked for', async () => {
    const { body } = await testApp(found(9)).get(`${path}?q=bees&count=4`)
    expect(body.web.results).toHaveLength(4)
    expect(body.query.more_results_available).toBe(true)
  })

  test('no group without rows', async () => {
    expect((await testApp(found(0)).get(`${path}?q=bees`)).body).not.toHaveProperty('web')
    expect((await testApp().get(`${path}?q=bees&result_filter=news,faq`)).body).not.toHaveProperty('web')
    expect((await testApp().get(`${path}?q=bees&result_filter=news,web`)).body).toHaveProperty('web')
  })
})

describe('what is refused', () => {
  const cases: readonly [name: string, query: string, field: string, type: string, context?: object][] = [
    ['no query', 'count=5', 'q', 'missing'],
    ['an empty query', 'q=', 'q', 'string_too_short', { min_length: 2 }],
    ['a blank query', 'q=%20%20%09', 'q', 'string_too_short', { min_length: 2 }],
    ['one character', 'q=a', 'q', 'string_too_short', { min_length: 2 }],
    ['601 characters', `q=${'x'.repeat(601)}`, 'q', 'string_too_long', { max_length: 600 }],
    ['76 words', `q=${'x+'.repeat(76)}`, 'q', 'too_many_words', { max_words: 75 }],
    ['two queries', 'q=bees&q=wasps', 'q', 'string_type'],
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
  ]

  test.each(cases)('%s', async (...row) => {
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

  test('several fields at once, each with what was sent', async () => {
    const { body } = await testApp().get(`${path}?q=bees&count=0&units=stones`)
    expect(body.error.meta.errors.map(({ loc, input }: { loc: string[]; input: unknown }) => [loc[1], input])).toEqual([
      ['count', '0'],
      ['units', 'stones'],
    ])
  })

  test('an item of a list is named by its place', async () => {
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
  ])('in a body: %s', async (_name, body, field, type) => {
    const reply = await testApp().post(path, body)
    expect(reply.status).toBe(422)
    expect(reply.body.error.meta.errors[0]).toMatchObject({ type, loc: ['body', field] })
  })

  test('a body that is no object, holds no number, or is no JSON', async () => {
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
