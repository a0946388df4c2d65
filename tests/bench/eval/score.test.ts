import { describe, expect, test } from 'bun:test'
import type { Question } from '../../../bench/eval/question.ts'
import { hasEvidence, holdsAnswer } from '../../../bench/eval/score.ts'
import type { SearchResult } from '../../../src/domain/search.ts'

const asked = (...answers: string[]): Question => ({ id: 'q', question: 'Q?', answers, kind: 'own', asOf: '2026-11' })

describe('a text holds the answer', () => {
  test.each([
    ['It is Slaettaratindur.', 'Slættaratindur'],
    ['The span is 1,624 m long.', '1624'],
    ['1\u202f624 m', '1624'],
    ['RFC 9562 (May 2024)', 'RFC 9562'],
    ['version 3.37.0.', '3.37.0'],
    ['NAÏVE café', 'naive cafe'],
    ['It hit on September 26, 2022 at night.', '2022-09-26'],
    ['on 26 Sept 2022, or 26 Sep 2022', '2022-09-26'],
    ['26.09.2022', '2022-09-26'],
    ['CAS 83‑67‑0', '83-67-0'],
    ['the grey seal', '“Seal!”'],
    ['released as 2022-13-45', '2022-13-45'],
  ])('%p holds %p', (text, answer) => {
    expect(holdsAnswer(text, asked('something else', answer))).toBe(true)
  })

  test.each([
    ['version 3.370', '3.37'],
    ['It took 1811 days', '181'],
    ['Linux 5.10', '5.1'],
    ['the votic', 'vot'],
    ['27 September 2022', '2022-09-26'],
    ['', 'x'],
  ])('%p does not hold %p', (text, answer) => {
    expect(holdsAnswer(text, asked(answer))).toBe(false)
  })
})

const row = (title: string, rest: Partial<SearchResult> = {}): SearchResult => ({
  title,
  url: `https://${title}.example/`,
  source: 'claude',
  ...rest,
})

describe('evidence', () => {
  test('is looked for in title, excerpt and passages of the first five rows', () => {
    const five = ['a', 'b', 'c', 'd'].map((title) => row(title))
    expect(hasEvidence([...five, row('the seal')], asked('seal'))).toBe(true)
    expect(hasEvidence([row('a', { snippet: 'a grey seal' })], asked('seal'))).toBe(true)
    expect(hasEvidence([row('a', { snippet: 'x', passages: ['y', 'a seal'] })], asked('seal'))).toBe(true)
    expect(hasEvidence([...five, row('e'), row('the seal')], asked('seal'))).toBe(false)
  })

  test('is not what a URL says', () => {
    expect(hasEvidence([row('a', { url: 'https://seal.example/seal' })], asked('seal'))).toBe(false)
  })
})
