import { expect, test } from 'bun:test'
import { SearchError } from '../../../../src/domain/error.ts'
import { findingOf } from '../../../../src/runtime/cli/doctor/check-live.ts'
import type { Strategy } from '../../../../src/runtime/cli/doctor/live-search.ts'

interface Seen {
  readonly strategy?: Strategy
  readonly ms?: number
  readonly rows?: number
  readonly rowsWithExcerpt?: number
  readonly citations?: number
  readonly text?: string
  readonly searches?: number
  readonly modelCalls?: number
  readonly model?: string
}

/** The finding about a search that went as most do, except for what is given. */
function found(given: Seen) {
  const { strategy = 'standard', ms = 3000, rows = 8, rowsWithExcerpt = 8, citations = 3, searches = 1 } = given
  const { modelCalls = 2, model = 'sonnet', text = 'Node is new.' } = given
  const results = Array.from({ length: rows }, (_, index) => ({
    ...{ title: 't', url: `https://${index}.example/`, source: 'claude' },
    ...(index < rowsWithExcerpt && { snippet: 's' }),
    ...(index < 7 && { publishedAt: '2026-11-01' }),
  }))
  const reply = {
    ...{ text, searches: [{ id: '1', query: 'q', results }], toolCalls: [], reason: 'stop' as const, model },
    citations: results.slice(0, citations).map(({ url }) => ({ number: 1, url, title: 't', start: 0, end: 1 })),
    usage: { searches, inputTokens: 900, outputTokens: 100 },
  }
  return findingOf(strategy, { ms, searches, modelCalls, reply })
}

test('a strategy that did its part is fine, with what it cost', () => {
  expect(found({})).toEqual({
    status: 'ok',
    check: 'live standard',
    message: '8 pages, 3 citations, 1 search, 2 model calls, 3.0 s, list price $0.014',
  })
  expect(found({ strategy: 'results' }).message).toBe(
    '8 pages, 8 with excerpt, 7 with date, 1 search, 2 model calls, 3.0 s, list price $0.014',
  )
  expect(found({ rows: 1, citations: 1 }).message).toStartWith('1 page, 1 citation, 1 search, ')
})

test.each([
  ['nothing was found', { rows: 0 }, /found nothing/],
  ['the answer names a foreign page', { text: 'See https://invented.example/.' }, /Please report/],
  ['few rows have an excerpt', { strategy: 'results', rowsWithExcerpt: 3 }, /--excerpts pages/],
  ['the answer cites nothing', { citations: 0 }, /--model/],
  ['it took longer than agents wait', { ms: 15_001 }, /--search-model/],
  ['a list took longer than agents wait', { strategy: 'results', ms: 10_001 }, /./],
  ['a fast answer took longer than agents wait', { strategy: 'fast', ms: 15_001 }, /./],
  ['a deep answer took longer than agents wait', { strategy: 'deep', ms: 60_001 }, /./],
] as const)('a strategy warns, and says what to change, where %s', (_, rest, words) => {
  expect(found(rest)).toMatchObject({ status: 'warn', remedy: expect.stringMatching(words) })
})

test('a strategy that failed says the code and the time', () => {
  const failed = { ms: 60_000, searches: 1, modelCalls: 0, reply: new SearchError('timeout', 'Too late.') }
  const finding = { status: 'fail', check: 'live standard', message: expect.stringMatching(/^timeout.* 60\.0 s/) }
  expect(findingOf('standard', failed)).toMatchObject(finding)
})

test.each([
  { strategy: 'results', rowsWithExcerpt: 4, citations: 0, ms: 10_000 },
  { strategy: 'fast', rowsWithExcerpt: 0, ms: 15_000 },
  { strategy: 'standard', ms: 15_000 },
  { strategy: 'deep', ms: 60_000 },
] as const)('a strategy is fine up to its bounds: %j', (rest) => expect(found(rest).status).toBe('ok'))

test('a strategy without model calls names none, nor a price that is not known', () => {
  expect(found({ modelCalls: 0, model: 'unknown-model' }).message).toBe(
    '8 pages, 3 citations, 1 search, 3.0 s, list price unknown',
  )
  expect(found({ searches: 2, citations: 1, modelCalls: 1 }).message).toStartWith(
    '8 pages, 1 citation, 2 searches, 1 model call, ',
  )
})
