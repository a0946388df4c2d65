import { describe, expect, test } from 'bun:test'
import { runs } from '@csp/testing/runs'
import fc from 'fast-check'
import type { SearchEvent } from '../../../../src/domain/search.ts'
import { found } from '../../../support/scripted-executor.ts'
import { testApp } from '../../test-app.ts'

const path = '/res/v1/llm/context'

test('every parameter of a Brave context request reaches the search, by GET and by POST', async () => {
  const { get, post, executor } = testApp()
  await get(`${path}?q=bees+-site:a.example&count=5&country=de&search_lang=en-gb&freshness=2026-01-01to2026-02-01`)
  await post(path, {
    q: 'bees -site:a.example',
    count: 5,
    country: 'DE',
    search_lang: 'en-gb',
    freshness: '2026-01-01to2026-02-01',
    enable_local: null,
  })
  expect(executor.calls[0]?.request).toEqual({
    query: 'bees -site:a.example',
    history: [],
    want: 'results',
    effort: 'fast',
    limit: 5,
    filters: {
      country: 'DE',
      language: 'en-gb',
      publishedAfter: '2026-01-01',
      publishedBefore: '2026-02-01',
      excludeDomains: ['a.example'],
    },
  })
  expect(executor.calls[1]?.request).toEqual(executor.calls[0]?.request)
})

test('the X-Loc-Country header sets the country of a Brave context request', async () => {
  const { get, executor } = testApp()
  await get(`${path}?q=bees`, { 'x-loc-country': 'fr', 'x-loc-city': 'Paris' })
  expect(executor.calls[0]?.request.filters).toEqual({ country: 'FR', city: 'Paris' })
})

test.each([
  ['', undefined, 20],
  ['count=7', 7, 7],
  ['count=50', 20, 20],
  ['count=50&maximum_number_of_urls=30', 30, 30],
  ['count=10&maximum_number_of_urls=30', 10, 10],
  ['maximum_number_of_urls=3', undefined, 3],
  ['count=10&maximum_number_of_snippets=2', 2, 2],
  ['count=50&maximum_number_of_urls=50&maximum_number_of_snippets=256', 50, 40],
])('the query "%s" of a Brave context request sets the number of pages', async (query, limit, pages) => {
  const { get, executor } = testApp(found(40))
  const { body } = await get(`${path}?q=bees&${query}`)
  expect(executor.calls[0]?.request.limit).toBe(limit)
  expect(body.grounding.generic).toHaveLength(pages)
  expect(Object.keys(body.sources)).toHaveLength(pages)
})

test('a Brave context reply has the pages and their metadata', async () => {
  const response = await testApp().request(`${path}?q=bees`)
  const text = await response.text()
  expect(text).not.toContain('null')
  expect(JSON.parse(text)).toEqual({
    grounding: {
      generic: [
        { url: 'https://site1.example/docs/page', title: 'Page 1', snippets: ['Excerpt 1'] },
        { url: 'https://site2.example/docs/page', title: 'Page 2', snippets: ['Excerpt 2'] },
        { url: 'https://site3.example/docs/page', title: 'Page 3', snippets: [] },
      ],
      map: [],
    },
    sources: {
      'https://site1.example/docs/page': {
        title: 'Page 1',
        hostname: 'site1.example',
        age: ['Friday, May 1, 2026', '2026-05-01', '203 days ago'],
      },
      'https://site2.example/docs/page': { title: 'Page 2', hostname: 'site2.example' },
      'https://site3.example/docs/page': {
        title: 'Page 3',
        hostname: 'site3.example',
        age: ['Friday, May 1, 2026', '2026-05-01', '203 days ago'],
      },
    },
  })
})

test('a Brave context reply without results has an empty list and an empty map', async () => {
  const { body } = await testApp(found(0)).get(`${path}?q=bees`)
  expect(body).toEqual({ grounding: { generic: [], map: [] }, sources: {} })
})

test('a Brave context reply with metadata has the icon of each source', async () => {
  const { body } = await testApp().get(`${path}?q=bees&enable_source_metadata=true`)
  expect(body.sources['https://site1.example/docs/page'].favicon).toBe('https://site1.example/favicon.ico')
})

/** One page for each snippet, published on a given day. */
function pagesWith(
  snippets: readonly string[],
  publishedAt = '2026-11-19',
  passages: readonly (readonly string[])[] = [],
): readonly SearchEvent[] {
  const results = snippets.map((snippet, index) => ({
    title: `Page ${index + 1}`,
    url: `https://site.example/${index + 1}`,
    snippet,
    publishedAt,
    passages: passages[index],
    source: 'scripted',
  }))
  return [
    { type: 'search-start', id: 's1', query: 'bees' },
    { type: 'search-results', id: 's1', results },
    { type: 'done', reason: 'stop', usage: { searches: 1, inputTokens: 0, outputTokens: 0 }, model: 'x' },
  ]
}

test.each([
  [1024, 2],
  [1535, 2],
  [1536, 3],
  [undefined, 4],
])('%p tokens of context hold %i pages of 512 tokens each', async (tokens, pages) => {
  const snippet = 'x'.repeat(4 * 512)
  const { post } = testApp(pagesWith([snippet, snippet, snippet, snippet]))
  const { body } = await post(path, { q: 'bees', maximum_number_of_tokens: tokens })
  expect(body.grounding.generic).toHaveLength(pages)
  expect(Object.keys(body.sources)).toHaveLength(pages)
})

test.each([
  ['2026-11-20', ['Friday, November 20, 2026', '2026-11-20', '0 days ago']],
  ['2026-11-19', ['Thursday, November 19, 2026', '2026-11-19', '1 day ago']],
  ['2026-11-21', ['Saturday, November 21, 2026', '2026-11-21', '0 days ago']],
])('a page of %s has its age in three forms', async (date, age) => {
  const { body } = await testApp(pagesWith(['x'], date)).get(`${path}?q=bees`)
  expect(body.sources['https://site.example/1'].age).toEqual(age)
})

test('a Brave context reply names the fields that have no effect in x-csp-ignored', async () => {
  const { headers } = await testApp().get(
    `${path}?q=bees&goggles=a&context_threshold_mode=strict&enable_local=1&spellcheck=1&maximum_number_of_tokens=2048`,
  )
  expect(headers.get('x-csp-ignored')).toBe('goggles, context_threshold_mode, enable_local, spellcheck')
})

describe('a Brave context request is refused', () => {
  test.each([
    ['no query', '', 'q', 'missing'],
    ['76 words', `q=${'x+'.repeat(76)}`, 'q', 'too_many_words'],
    ['count', 'q=bees&count=51', 'count', 'less_than_equal'],
    ['no URL', 'q=bees&maximum_number_of_urls=0', 'maximum_number_of_urls', 'greater_than_equal'],
    ['51 URLs', 'q=bees&maximum_number_of_urls=51', 'maximum_number_of_urls', 'less_than_equal'],
    ['1,023 tokens', 'q=bees&maximum_number_of_tokens=1023', 'maximum_number_of_tokens', 'greater_than_equal'],
    ['32,769 tokens', 'q=bees&maximum_number_of_tokens=32769', 'maximum_number_of_tokens', 'less_than_equal'],
    ['257 snippets', 'q=bees&maximum_number_of_snippets=257', 'maximum_number_of_snippets', 'less_than_equal'],
    [
      '511 tokens a page',
      'q=bees&maximum_number_of_tokens_per_url=511',
      'maximum_number_of_tokens_per_url',
      'greater_than_equal',
    ],
    [
      '101 snippets a page',
      'q=bees&maximum_number_of_snippets_per_url=101',
      'maximum_number_of_snippets_per_url',
      'less_than_equal',
    ],
    ['threshold', 'q=bees&context_threshold_mode=none', 'context_threshold_mode', 'enum'],
    ['enable_local', 'q=bees&enable_local=perhaps', 'enable_local', 'bool_type'],
    ['freshness', 'q=bees&freshness=pz', 'freshness', 'value_error'],
  ])('with 422, naming the field: %s', async (_name, query, field, type) => {
    const { get, executor } = testApp()
    const { status, body } = await get(`${path}?${query}`)
    expect(status).toBe(422)
    expect(body.error.detail).toContain(`${field}: `)
    expect(body.error.meta.errors).toMatchObject([{ type, loc: ['query', field] }])
    expect(executor.calls).toHaveLength(0)
  })

  test('with an error that names the field of a JSON body', async () => {
    const { status, body } = await testApp().post(path, { q: 'bees', maximum_number_of_urls: 51 })
    expect(status).toBe(422)
    expect(body.error.meta.errors).toMatchObject([{ loc: ['body', 'maximum_number_of_urls'] }])
  })
})

test('the pages keep all bounds of a request, and hold what fits in', async () => {
  const lengths = fc.array(fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 1, maxLength: 6 }), {
    maxLength: 5,
  })
  await fc.assert(
    fc.asyncProperty(
      lengths,
      fc.record({
        maximum_number_of_tokens: fc.integer({ min: 1024, max: 5000 }),
        maximum_number_of_tokens_per_url: fc.integer({ min: 512, max: 2000 }),
        maximum_number_of_snippets: fc.integer({ min: 1, max: 12 }),
        maximum_number_of_snippets_per_url: fc.integer({ min: 1, max: 4 }),
      }),
      async (rows, bounds) => {
        const texts = rows.map((row) => row.map((length) => 'x'.repeat(length)))
        const { post } = testApp(
          pagesWith(
            texts.map(([first]) => first ?? ''),
            undefined,
            texts.map((row) => row.slice(1)),
          ),
        )
        const { body } = await post(path, { q: 'bees', ...bounds })
        const pages: string[][] = body.grounding.generic.map(({ snippets }: { snippets: string[] }) => snippets)
        const charactersIn = (all: readonly string[]) => all.reduce((sum, { length }) => sum + length, 0)
        expect(charactersIn(pages.flat())).toBeLessThanOrEqual(bounds.maximum_number_of_tokens * 4)
        expect(pages.flat().length).toBeLessThanOrEqual(bounds.maximum_number_of_snippets)
        const firsts = texts.map(([first = '']) => first)
        const fitting = firsts.findLastIndex(
          (_, at) =>
            charactersIn(firsts.slice(0, at + 1)) <= bounds.maximum_number_of_tokens * 4 &&
            at < bounds.maximum_number_of_snippets,
        )
        expect(pages).toHaveLength(fitting + 1)
        for (const [at, [, ...passages]] of pages.entries()) {
          expect(passages.length).toBeLessThan(bounds.maximum_number_of_snippets_per_url)
          if (passages.length > 0)
            expect(charactersIn(pages[at] ?? [])).toBeLessThanOrEqual(bounds.maximum_number_of_tokens_per_url * 4)
        }
      },
    ),
    { numRuns: runs(60) },
  )
})

test('a page has as many passages as it may, and so have all together', async () => {
  const passages = [
    ['a', 'b', 'c', 'd'],
    ['e', 'f', 'g'],
  ]
  const { post } = testApp(pagesWith(['1', '2'], undefined, passages))
  const snippets = async (bounds: object) => {
    const { body } = await post(path, { q: 'bees', ...bounds })
    return body.grounding.generic.map((page: { snippets: string[] }) => page.snippets.join(''))
  }
  expect(await snippets({})).toEqual(['1abcd', '2efg'])
  expect(await snippets({ maximum_number_of_snippets: 5 })).toEqual(['1abc', '2'])
  expect(await snippets({ maximum_number_of_snippets_per_url: 3 })).toEqual(['1ab', '2ef'])
})
