import { expect, test } from 'bun:test'
import type { Trial } from '../../../../src/eval/evaluate.ts'
import { findingOf } from '../../../../src/runtime/cli/doctor/check-live.ts'

const trial = (rest: Partial<Trial>): Trial => ({
  ...{ question: 'live', kind: 'live', backend: 'claude', strategy: 'standard', ms: 3000, hasEvidence: true, rows: 8 },
  ...{ rowsWithExcerpt: 8, rowsWithDate: 7, searches: 1, modelCalls: 2, inputTokens: 900, outputTokens: 100 },
  ...{ model: 'sonnet', citations: 3, isGrounded: true },
  ...rest,
})

test('a strategy that did its part is fine, with what it cost', () => {
  expect(findingOf(trial({}))).toEqual({
    status: 'ok',
    check: 'live standard',
    message: '8 pages, 3 citations, 1 search, 2 model calls, 3.0 s, list price $0.014',
  })
  expect(findingOf(trial({ strategy: 'results', citations: undefined, isGrounded: undefined })).message).toBe(
    '8 pages, 8 with excerpt, 7 with date, 1 search, 2 model calls, 3.0 s, list price $0.014',
  )
  expect(findingOf(trial({ rows: 1, citations: 1 })).message).toStartWith('1 page, 1 citation, 1 search, ')
})

test.each([
  ['nothing was found', { rows: 0 }, /found nothing/],
  ['the answer names a foreign page', { isGrounded: false }, /Please report/],
  ['few rows have an excerpt', { strategy: 'results', rowsWithExcerpt: 3 }, /--excerpts pages/],
  ['the answer cites nothing', { citations: 0 }, /--model/],
  ['nothing is said of citations', { citations: undefined }, /cites nothing/],
  ['it took longer than agents wait', { ms: 15_001 }, /--search-model/],
  ['a list took longer than agents wait', { strategy: 'results', ms: 10_001 }, /^Slow/],
  ['a fast answer took longer than agents wait', { strategy: 'fast', ms: 15_001 }, /^Slow/],
  ['a deep answer took longer than agents wait', { strategy: 'deep', ms: 60_001 }, /^Slow/],
] as const)('a strategy warns, and says what to change, where %s', (_, rest, words) => {
  expect(findingOf(trial(rest))).toMatchObject({ status: 'warn', remedy: expect.stringMatching(words) })
})

test('a strategy that failed says the code and the time', () => {
  expect(findingOf(trial({ failure: 'timeout', ms: 60_000 }))).toMatchObject({
    ...{ status: 'fail', check: 'live standard', message: 'timeout, after 60.0 s' },
  })
})

test.each([
  { strategy: 'results', rowsWithExcerpt: 4, citations: 0, ms: 10_000 },
  { strategy: 'fast', rowsWithExcerpt: 0, ms: 15_000 },
  { strategy: 'standard', ms: 15_000 },
  { strategy: 'deep', ms: 60_000, isGrounded: undefined },
] as const)('a strategy is fine up to its bounds: %j', (rest) => expect(findingOf(trial(rest)).status).toBe('ok'))

test('a strategy without model calls names none, nor a price that is not known', () => {
  expect(findingOf(trial({ modelCalls: 0, model: 'unknown-model' })).message).toBe(
    '8 pages, 3 citations, 1 search, 3.0 s, list price unknown',
  )
  expect(findingOf(trial({ searches: 2, citations: 1, modelCalls: 1 })).message).toStartWith(
    '8 pages, 1 citation, 2 searches, 1 model call, ',
  )
})
