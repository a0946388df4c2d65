import { expect, test } from 'bun:test'
import { pricesAsOf } from '../../src/domain/claude-models.ts'
import type { Strategy } from '../../src/eval/contender.ts'
import type { Trial } from '../../src/eval/evaluate.ts'
import { reportOf } from '../../src/eval/report.ts'
import { tableOf } from '../../src/eval/table.ts'

const trial = (question: string, backend: string, strategy: Strategy, more: Partial<Trial> = {}): Trial => ({
  ...{
    question,
    kind: 'k',
    backend,
    strategy,
    ms: 1000,
    hasEvidence: true,
    rows: 4,
    rowsWithExcerpt: 3,
    rowsWithDate: 1,
  },
  ...{ searches: 1, modelCalls: 1, inputTokens: 1_000_000, outputTokens: 100_000, model: 'claude-haiku-4-5', ...more },
})
const contenders = [
  { backend: 'claude', strategy: 'fast' },
  { backend: 'exa', strategy: 'standard' },
  { backend: 'brave', strategy: 'results' },
  { backend: 'idle', strategy: 'results' },
] as const
const trials = [
  trial('a', 'claude', 'fast', { isRight: true, isAttempted: true, isGrounded: true, goldenRank: 1 }),
  trial('b', 'claude', 'fast', {
    isRight: false,
    isAttempted: true,
    isGrounded: false,
    goldenRank: 5,
    hasEvidence: false,
    ms: 3000,
    modelCalls: 2,
  }),
  trial('c', 'claude', 'fast', {
    isRight: false,
    isAttempted: false,
    goldenRank: 0,
    hasEvidence: false,
    ms: 99_000,
    failure: 'timeout',
    rows: 0,
    rowsWithExcerpt: 0,
    rowsWithDate: 0,
    inputTokens: 0,
  }),
  trial('a', 'exa', 'standard', {
    isRight: true,
    isAttempted: true,
    isGrounded: true,
    goldenRank: 6,
    model: 'exa',
    inputTokens: 0,
    outputTokens: 12.6,
  }),
  trial('b', 'exa', 'standard', {
    isRight: true,
    isAttempted: true,
    isGrounded: true,
    goldenRank: 10,
    model: 'exa',
    inputTokens: 0,
    outputTokens: 12.6,
  }),
  trial('b', 'brave', 'results', {
    hasEvidence: false,
    rows: 0,
    rowsWithExcerpt: 0,
    rowsWithDate: 0,
    modelCalls: 0,
    inputTokens: 0,
    outputTokens: 0,
    goldenRank: 11,
    model: '',
  }),
]

test('the table has a row for each contender that was asked, and compares the others with the first', () => {
  const report = reportOf(contenders, trials, 'limit')
  expect(tableOf(report)).toBe(`3 questions, 6 searches. Stopped since a usage limit is near or reached.

| Strategy      | n | Evidence@5     | Hit@1 / 5 / 10     | Right          | Attempted | F     | Grounded | Excerpt | Date | p50   | p90   | p95   | Model calls | Tokens in / out  | List price | Searches | Failed |
|---------------|---|----------------|--------------------|----------------|-----------|-------|----------|---------|------|-------|-------|-------|-------------|------------------|------------|----------|--------|
| claude fast   | 3 | 33 % (6–79)    | 33 % / 67 % / 67 % | 33 % (6–79)    | 2/3       | 40 %  | 1/2      | 75 %    | 25 % | 1.0 s | 3.0 s | 3.0 s | 1.5         | 1000000 / 100000 | $1.510     | 3        | 1      |
| exa standard  | 2 | 100 % (34–100) | 0 % / 0 % / 100 %  | 100 % (34–100) | 2/2       | 100 % | 2/2      | 75 %    | 25 % | 1.0 s | 1.0 s | 1.0 s | 1.0         | 0 / 13           | –          | 2        | 0      |
| brave results | 1 | 0 % (0–79)     | 0 % / 0 % / 0 %    | –              | –         | –     | –        | –       | –    | 1.0 s | 1.0 s | 1.0 s | –           | –                | –          | 1        | 0      |

| Difference                  | Evidence@5       | Right            |
|-----------------------------|------------------|------------------|
| exa standard − claude fast  | +50 (−27 to +91) | +50 (−27 to +91) |
| brave results − claude fast | +0 (−79 to +79)  | –                |

Shares with their 95 % interval (Wilson); differences over the same questions (Newcombe). Times are those of whole replies, without failures. List prices of ${pricesAsOf}.
`)
  // What nothing is known of is left out.
  const [, , brave, idle] = report.summaries
  expect(brave).toMatchObject({
    withExcerpt: undefined,
    modelCalls: undefined,
    listPrice: undefined,
    fScore: undefined,
  })
  expect(idle).toMatchObject({ trials: 0, evidence: undefined, p50: undefined, searches: 0 })
})

test('a report of nothing has no table', () => {
  const [head = '', ...rest] = tableOf(reportOf([], [], 'complete')).split('\n\n')
  expect(head).toBe('0 questions, 0 searches.')
  expect(rest).toHaveLength(1)
  const [first] = contenders
  const one = tableOf(reportOf([first], trials.slice(0, 1), 'interrupted'))
  expect(one).toStartWith('1 question, 1 search. Stopped before the end.\n\n| Strategy')
  expect(one).not.toContain('Difference')
})
