import { describe, expect, test } from 'bun:test'
import { mcpRecall } from '../../../../src/api/endpoints/mcp/recall.ts'
import { mcpWebSearch } from '../../../../src/api/endpoints/mcp/web-search.ts'
import type { Answer } from '../../../../src/domain/search.ts'

const rows = Array.from({ length: 12 }, (_, at) => ({
  ...{ title: `Page ${at + 1}`, url: `https://a.example/${at + 1}`, source: 'fake' },
  ...(at === 0 && { snippet: 'Bees\nhum.', publishedAt: '2026-03-01' }),
}))
const answerOf = (results: Answer['searches'][number]['results']): Answer => ({
  ...{
    text: '',
    searches: [{ id: 's', query: 'bees', results }],
    citations: [],
    toolCalls: [],
    reason: 'stop',
    model: 'm',
  },
  usage: { searches: 1, inputTokens: 1, outputTokens: 1 },
})

describe.each([
  ['web_search', mcpWebSearch],
  ['recall', mcpRecall],
] as const)('the list of %s', (_, tool) => {
  const format = (results: typeof rows, input: object) =>
    tool.format(answerOf(results), tool.schema.parse({ query: 'bees', ...input }) as never)

  test('takes a count from 1 on', () => {
    const takes = (count: number) => tool.schema.safeParse({ query: 'bees', count }).success
    expect([0, 1, 20, 21].map(takes)).toEqual([false, true, true, true])
  })

  test('is numbered, each page by its title, its address and an excerpt in one line', () => {
    const { structured, text } = format(rows.slice(0, 2), {})
    expect(text).toBe('[1] Page 1 (2026-03-01)\nhttps://a.example/1\nBees hum.\n\n[2] Page 2\nhttps://a.example/2')
    expect(structured).toEqual({
      query: 'bees',
      results: [
        { number: 1, title: 'Page 1', url: 'https://a.example/1', snippet: 'Bees\nhum.', published_date: '2026-03-01' },
        { number: 2, title: 'Page 2', url: 'https://a.example/2' },
      ],
    })
    expect(format([], {}).text).toContain('"bees"')
  })
})

test('a search of the web has its filters, and no limit without a count', () => {
  const parse = (input: object) => mcpWebSearch.parse(mcpWebSearch.schema.parse({ query: ' bees\nhum ', ...input }))
  expect(JSON.parse(JSON.stringify(parse({})))).toEqual({
    ...{ query: 'bees hum', history: [], want: 'results', effort: 'fast', filters: {} },
  })
  const domains = { include_domains: 'a.example, b.example', exclude_domains: ['c.example'] }
  expect(parse({ count: 3, freshness: 'Week', ...domains, country: 'de', language: 'de-AT' })).toMatchObject({
    limit: 3,
    filters: {
      ...{ freshness: 'week', includeDomains: ['a.example', 'b.example'], excludeDomains: ['c.example'] },
      ...{ country: 'DE', language: 'de-at' },
    },
  })
})

test('a search of the web shows ten pages, or as many as were asked for', () => {
  const shown = (count?: number) =>
    mcpWebSearch.format(answerOf(rows), mcpWebSearch.schema.parse({ query: 'bees', count })).structured['results']
  expect([shown(), shown(2), shown(20)].map((list) => (list as readonly unknown[]).length)).toEqual([10, 2, 12])
})

test('memory is asked alone, for ten pages or as many as were asked for, since a day', () => {
  const parse = (input: object) => mcpRecall.parse(mcpRecall.schema.parse({ query: 'bees', ...input }))
  expect(parse({})).toMatchObject({ want: 'results', limit: 10, memory: { seenAfter: undefined } })
  expect(parse({ count: 3, seen_since: '2026-03-01', include_domains: ['a.example'] })).toMatchObject({
    ...{ limit: 3, memory: { seenAfter: '2026-03-01T00:00:00Z' }, filters: { includeDomains: ['a.example'] } },
  })
})
