import { expect, test } from 'bun:test'
import type { Evidence, Verdict } from '../../src/domain/evidence.ts'
import {
  type ClaimTrial,
  evaluateClaims,
  type LabelledClaim,
  readLabelledClaims,
  reportOfClaims,
  tableOfClaims,
} from '../../src/eval/labelled-claims.ts'

const page = 'The old bridge over the Aar was opened in 1932 by the mayor of the town.'
const line = (claim: string, label: string, evidence: unknown = [page]) => JSON.stringify({ claim, label, evidence })

test('claims are read with their pages, whole or in sentences; a file of questions is none', () => {
  const file = `${line('A', 'supported', ['x', 'y'])}\n \n${line(' B ', 'not_supported', 'z')}\n`
  expect(readLabelledClaims(file)).toEqual([
    { claim: 'A', label: 'supported', evidence: 'x\ny' },
    { claim: 'B', label: 'not_supported', evidence: 'z' },
  ])
  expect(readLabelledClaims('{"question": "Which claim?", "answer": "A"}')).toBeUndefined()
  expect(readLabelledClaims('')).toBeUndefined()
})

test.each([
  [line('B', 'maybe'), 'Line 2: label: Invalid option: '],
  [line('x'.repeat(5001), 'supported'), 'Line 2: claim: Too big: '],
  [line('B', 'supported', 7), 'Line 2: evidence: '],
  [line(' ', 'supported'), 'Line 2: claim: '],
  ['{"claim": ', 'Line 2: the line: '],
])('says what is wrong with %j', (wrong, message) => {
  expect(() => readLabelledClaims(`${line('A', 'supported')}\n${wrong}`)).toThrow(message)
})

const claims = (count: number): readonly LabelledClaim[] =>
  Array.from({ length: count }, () => ({ claim: 'The bridge was opened in 1932.', label: 'supported', evidence: page }))

test('twenty claims at a time are judged, and what the judge says is counted', async () => {
  const asked: number[] = []
  const judge = async (evidence: readonly Evidence[]) => {
    asked.push(evidence.length)
    return evidence.map(
      (one): Evidence => ({ ...one, verdict: 'not-found', judge: { model: 'm', says: 'contradicted' } }),
    )
  }
  const trials = (await Array.fromAsync(evaluateClaims(claims(45), judge))).flat()
  expect(asked).toEqual([20, 20, 5])
  expect(reportOfClaims(trials, 3)).toMatchObject({ claims: 45, judged: 45, calls: 3, right: { hits: 0, of: 45 } })
  await Array.fromAsync(evaluateClaims(claims(40), judge))
  expect(asked.slice(3)).toEqual([20, 20])
  const words = (await Array.fromAsync(evaluateClaims(claims(3), undefined))).flat()
  expect(words.map(({ verdict, judge }) => [verdict, judge])).toEqual(Array(3).fill(['found', undefined]))
})

test('the table counts verdicts by label, and the areas are those of the score', () => {
  const trial = (label: ClaimTrial['label'], verdict: Verdict, score: number) => ({ claim: 'c', label, verdict, score })
  const report = reportOfClaims(
    [
      trial('supported', 'found', 0.9),
      trial('supported', 'partly', 0.5),
      trial('partially_supported', 'found', 0.7),
      trial('not_supported', 'not-found', 0.5),
    ],
    0,
  )
  expect(report).toMatchObject({ right: { hits: 2, of: 4 }, auc: { notSupported: 0.75, others: 0.625 } })
  expect(tableOfClaims(report)).toBe(`4 claims, 0 model calls, 0 judged.

| | n | found | partly | not-found | not-read |
|---|---:|---:|---:|---:|---:|
| supported | 2 | 1 | 1 | 0 | 0 |
| partially supported | 1 | 1 | 0 | 0 | 0 |
| not supported | 1 | 0 | 0 | 1 | 0 |

Found where supported, and only there: 50 % (15–85), with its 95 % interval. AUC of the score, supported against not supported: 0.750; against all others: 0.625.
`)
  for (const trials of [[], [trial('supported', 'found', 0.9)], [trial('not_supported', 'found', 0.9)]])
    expect(tableOfClaims(reportOfClaims(trials, 0))).toContain('against all others: –')
})
