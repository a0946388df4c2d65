import { expect, test } from 'bun:test'
import { readOutput, toolOutputSchema } from '../../../../src/executor/backends/claude/search-output.ts'
import { requestFor } from '../../../support/fake-executor.ts'

const now = new Date('2026-11-21T12:00:00Z')
const page = { title: 'Seals', url: 'https://seals.example/' }
const parse = (...results: readonly unknown[]) => toolOutputSchema.parse({ query: 'seals', results, searchCount: 1 })
const hits = (...content: readonly object[]) => ({ tool_use_id: 'srvtoolu_1', content })
const rows = (...results: readonly unknown[]) => readOutput(parse(...results), requestFor('seals'), now).rows

test.each([
  "this session's web search budget is used up (limit: 200 WebSearch calls, shared by every agent in this session; it does not refill). Continue with the information already gathered.",
  "this turn's web search budget is used up (limit: 1 WebSearch call per turn, shared by every agent in it). Continue.",
])('a used-up search budget of the CLI is a failed search, not a summary: %s', (why) => {
  expect(parse(`Web search was not performed: ${why}`)).toEqual({
    searched: true,
    hits: [],
    text: '',
    error: 'session_budget',
  })
})

test('the text of a page becomes its snippet where the summary has no line about it', () => {
  const withText = { ...page, snippet: 'Seals   sleep\nunder water.' }
  expect(rows(hits(withText))[0]?.snippet).toBe('Seals sleep under water.')
  const [row] = rows(hits(withText), `${page.url} | 2026-01-02 | Seals nap.`)
  expect(row).toMatchObject({ snippet: 'Seals nap.', publishedAt: '2026-01-02' })
})

test('a long text of a page becomes the passages that bear on the query, behind the line of the model', () => {
  const filler = 'Nothing of this has to do with the question that was asked. '.repeat(20)
  const text = `${filler}\n\nSeals sleep under water.\n\n${filler}\n\nYoung seals sleep on the sand for hours.`
  const [plain] = rows(hits({ ...page, snippet: text }))
  expect([plain?.snippet, ...(plain?.passages ?? [])].toSorted()).toEqual([
    'Seals sleep under water.',
    'Young seals sleep on the sand for hours.',
  ])
})

test('a page text of a megabyte gives a snippet of 500 characters at most', () => {
  const [row] = rows(hits({ ...page, snippet: 'seals sleep '.repeat(100_000) }))
  expect(row?.snippet?.length).toBeLessThanOrEqual(500)
})

test('a page text that is not a string leaves the row without a snippet', () => {
  for (const snippet of [null, 5, '', {}]) expect(rows(hits({ ...page, snippet }))[0]).toMatchObject(page)
})

test.each(['search-service-1', 'ccr-proxy-search-1', 'results-only-search-1', undefined])(
  'results are read whatever their tool_use_id is: %s',
  (tool_use_id) => {
    expect(rows({ tool_use_id, content: [page] })).toMatchObject([page])
  },
)

test('results without a summary become rows without excerpts', () => {
  expect(parse(hits(page))).toMatchObject({ searched: true, hits: [page], text: '', error: undefined })
})

test('the remark of the CLI on omitted rows is not a summary', () => {
  const remark = '2 results left out by allowed_domains or blocked_domains.'
  expect(parse(hits(page), remark).text).toBe('')
  expect(parse(hits(page), remark, 'Seals sleep.').text).toBe('Seals sleep.')
})

test('the summary is the text from the first results on, or all of it where there are none', () => {
  expect(parse('I search.', hits(page), ' Seals sleep.', 'They dive. ').text).toBe('Seals sleep.\n\nThey dive.')
  expect(parse('I search.', 'I cannot.')).toEqual({
    searched: false,
    hits: [],
    text: 'I search.\n\nI cannot.',
    error: undefined,
  })
})

test('a failed search counts as one, and its error only where no other search brought results', () => {
  const failed = 'Web search error: too_many_requests'
  expect(parse(failed)).toMatchObject({ searched: true, error: 'too_many_requests' })
  expect(parse(failed, hits(page))).toMatchObject({ searched: true, error: undefined, text: '' })
  expect(parse(hits())).toMatchObject({ searched: true, hits: [], error: undefined })
})

test('a text of 500 characters is an excerpt as it is; of a longer one a passage is chosen', () => {
  const [fits, longer] = ['s', 'ing'].map((more) => `Seals sleep. ${'Nothing of note. '.repeat(28)}seals nap${more}.`)
  const snippetOf = (snippet: string | undefined) => rows(hits({ ...page, snippet }))[0]?.snippet
  expect([fits?.length, longer?.length]).toEqual([500, 502])
  expect(snippetOf(fits)).toBe(fits)
  expect(snippetOf(longer)).not.toBe(longer)
})
