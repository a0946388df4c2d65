import { describe, expect, test } from 'bun:test'
import { testApp } from '../../test-app.ts'

const web = '/res/v1/web/search'
const path = '/res/v1/summarizer/search'

/** The key that a web search gives. */
async function keyOf(query: string): Promise<string> {
  const { body } = await testApp().get(`${web}?${query}&summary=true`)
  return encodeURIComponent(body.summarizer.key)
}

describe('the summarizer key in a Brave web reply', () => {
  test('is there when it was requested', async () => {
    const { body, headers } = await testApp().get(`${web}?q=bees&summary=true`)
    expect(Object.keys(body)).toEqual(['type', 'query', 'web', 'summarizer'])
    expect(body.summarizer).toEqual({ type: 'summarizer', key: '{"q":"bees"}' })
    expect(headers.get('x-csp-ignored')).toBeNull()
  })

  test.each(['summary=false', '', 'summary=true&result_filter=web'])(
    'is left out for the query "%s"',
    async (query) => {
      expect((await testApp().get(`${web}?q=bees&${query}`)).body).not.toHaveProperty('summarizer')
    },
  )

  test('costs no search when nothing else is requested', async () => {
    const { get, executor } = testApp()
    const { body } = await get(`${web}?q=bees&summary=1&result_filter=summarizer`)
    expect(Object.keys(body)).toEqual(['type', 'query', 'summarizer'])
    expect(executor.calls).toHaveLength(0)
  })
})

const searches: readonly [query: string, filters: object][] = [
  ['q=bees', {}],
  ['q=bees&country=de&search_lang=jp&safesearch=off', { country: 'DE', language: 'ja', safeSearch: 'off' }],
  ['q=bees&freshness=pm', { freshness: 'month' }],
  ['q=bees&freshness=2026-01-01to2026-02-01', { publishedAfter: '2026-01-01', publishedBefore: '2026-02-01' }],
  ['q=bees+site:a.example&count=5&offset=3', { includeDomains: ['a.example'] }],
  ['q=bees+site:a.example&operators=false', {}],
]

test.each(searches)('the summary for the query %s makes the same search', async (query, filters) => {
  const { get, executor } = testApp()
  const { status } = await get(`${path}?key=${await keyOf(query)}`)
  expect(status).toBe(200)
  expect(executor.calls[0]?.request).toEqual({
    query: new URLSearchParams(query).get('q') ?? '',
    history: [],
    want: 'answer',
    effort: 'fast',
    filters,
  })
})

test('a Brave summary is complete at once and names its sources', async () => {
  const { body } = await testApp().get(`${path}?key=${await keyOf('q=bees')}`)
  expect(body).toMatchObject({
    type: 'summarizer',
    status: 'complete',
    title: 'bees',
    summary: [{ type: 'token', data: 'It is 🙂 so.' }],
    enrichments: { raw: 'It is 🙂 so.', images: [], qa: [], entities: [] },
    followups: [],
  })
  expect(body.enrichments.context).toHaveLength(3)
  expect(body.enrichments.context[1]).toMatchObject({
    title: 'Page 2',
    url: 'https://site2.example/docs/page',
    meta_url: { hostname: 'site2.example' },
  })
})

test('a Brave summary with inline references has them between the pieces of text', async () => {
  const { body, headers } = await testApp().get(
    `${path}?key=${await keyOf('q=bees')}&inline_references=true&entity_info=1`,
  )
  expect(body.summary).toEqual([
    { type: 'token', data: 'It is 🙂 so' },
    {
      type: 'inline_reference',
      data: {
        type: 'inline_reference',
        start_index: 0,
        end_index: 11,
        number: 2,
        url: 'https://site2.example/docs/page',
        favicon: 'https://site2.example/favicon.ico',
        snippet: 'Excerpt 2',
      },
    },
    { type: 'token', data: '.' },
  ])
  expect(headers.get('x-csp-ignored')).toBe('entity_info')
})

describe('a Brave summary request is refused', () => {
  test.each([
    ['no key', '', 'key', 'missing'],
    ['another key', 'key=abc', 'key', 'value_error'],
    ['a key without a question', 'key=%7B%7D', 'key', 'value_error'],
    ['a key with a wrong country', `key=${encodeURIComponent('{"q":"bees","country":"XX"}')}`, 'key', 'value_error'],
    ['a boolean', `key=${encodeURIComponent('{"q":"bees"}')}&inline_references=5`, 'inline_references', 'bool_type'],
  ])('with 422, naming the field: %s', async (_name, query, field, type) => {
    const { get, executor } = testApp()
    const { status, body } = await get(`${path}?${query}`)
    expect(status).toBe(422)
    expect(body.error.meta.errors).toMatchObject([{ type, loc: ['query', field] }])
    expect(executor.calls).toHaveLength(0)
  })
})
