import { describe, expect, test } from 'bun:test'
import { finished } from '@csp/lib/pieces'
import { readClaim } from '../src/claim.ts'
import { cleanedText } from '../src/cleaned.ts'
import { PageIndex } from '../src/page-index.ts'

/** The numbers of a sentence: whether each must be there, its words, and how far it may be off where that is more than usual. */
const numbersIn = (text: string) =>
  readClaim(text).quantities.map(({ figure: { isSure, values }, start, end }) => {
    const [{ value = 0, step = 0 } = {}] = values
    return `${isSure ? '' : 'perhaps '}${text.slice(start, end)}${step > 1 ? ` ±${step}` : ''}${value === 1764 ? '!' : ''}`
  })

test.each([
  ['2/3 of them and 1/2', ['perhaps 2', 'perhaps 3', 'perhaps 1', 'perhaps 2']],
  ['12/3', ['12', '3']],
  ['2/34', ['2', '34']],
  ['about 9,000 seals', ['9,000 ±900']],
  ['exactly 9,000 seals', ['9,000']],
  ['about $9,000', ['$9,000 ±900']],
  ['about seals, 9,000', ['9,000']],
  ['two thirds of the seals', ['two thirds ±2']],
  ['nearly two thirds of the seals', ['two thirds ±10']],
  ['16 below zero', ['16 below zero']],
  ['42²', ['42²!']],
  ['one seal and two bulls', ['perhaps two']],
  ['on 3 May 2026, with 7', ['7']],
])('the numbers of %j are %j', (text, expected) => expect(numbersIn(text)).toEqual(expected))

test('a sentence has a hundred numbers and shares at most', () => {
  const list = (part: string) => readClaim(part.repeat(140)).quantities.length
  expect([list('57 seals, '), list('half of them, ')]).toEqual([100, 100])
})

test('two whole numbers below a thousand with a mark between are a score', () => {
  const scoresIn = (text: string) =>
    readClaim(text).scores.map((pair) => pair.map(({ figure }) => figure.values[0]?.value).join(' '))
  expect(scoresIn('3–1, 999:0, 1000–1, 1–1000, two–one, 2.5–7, 3 seals 1, 4 to 2')).toEqual(['3 1', '999 0', '4 2'])
})

test('the words that say something are sought, with the names among them, and what is quoted', () => {
  const { terms, names, quotations } = readClaim('Two thirds of Seals said “they bark at the moon”')
  expect([...terms]).toEqual(['seal', 'said', 'bark', 'moo'])
  expect([...names]).toEqual(['seal'])
  expect(quotations).toEqual([
    { text: 'they bark at the moon', rows: [['they', 'bark', 'at', 'the', 'moon']], share: 23 / 48 },
  ])
})

test.each([
  ['a\u200b\u200bb\u2060c', 'abc', [0, 3, 5, 6]],
  ['１２！～', '12!~', [0, 1, 2, 3]],
  ['₀₉\u2070', '09\u2070', [0, 1, 2]],
  ['٣٫٥٬٠', '3.5,0', [0, 1, 2]],
  ['a\u00a0b\tc', 'a b c', [0, 1, 2]],
  ['\uff00\uff5f', '\uff00\uff5f', [0, 1]],
  ['二〇二五年三月十八日', '2025年3月18日', [0, 1, 2]],
  ['二零二五年十月', '2025年十月', [0, 1, 2]],
  ['三十日', '30日', [0, 1, 2]],
])('%j is compared as %j', (given, text, places) => {
  const cleaned = cleanedText(given)
  expect(cleaned.text).toBe(text)
  expect(places.map((_, at) => cleaned.place(at))).toEqual(places)
})

describe('the sentences of a page', () => {
  const page = (text: string) => finished(PageIndex.reading({ text }, 200_000))
  const span = (text: string, ...terms: readonly string[]) => {
    const { has, inSentence, start, end } = page(text).bestSpan(terms, () => false)
    return [has.length, inSentence, text.slice(start, end).trim()]
  }

  test('that have the most of some words are five neighbours at most', () => {
    const apart = (count: number) => `Seals bark. ${'Then night came. '.repeat(count)}Bulls sing. The end.`
    expect(span(apart(3), 'seal', 'bull')).toEqual([2, 1, apart(3).replace(' The end.', '')])
    expect(span(apart(4), 'seal', 'bull')).toEqual([1, 1, 'Seals bark.'])
  })

  test('are the first that have them, and one of them may have several', () => {
    const text = 'Seals bark. Bulls sing. Then night came. It rained. It blew. It froze. Seals sing to bulls.'
    expect(span(text, 'seal', 'sing', 'cow')).toEqual([2, 2, 'Seals bark. Bulls sing.'])
    expect(span(text, 'seal', 'sing', 'bull')).toEqual([3, 3, 'Seals bark. Bulls sing.'])
    expect(span(text, 'cow')).toEqual([0, 0, 'Seals bark.'])
  })

  test('that are most like it are the shortest that have most of its words', () => {
    const text = 'Seals bark at bulls every night. Seals sing. Bulls hum, seals bark. Seals and bulls.'
    const likest = (most: number, ...terms: readonly string[]) =>
      page(text)
        .likest(terms, most)
        .map((one) => [one.text.trim(), one.shared])
    expect(likest(3, 'seal', 'bull')).toEqual([
      ['Seals and bulls.', 2],
      ['Bulls hum, seals bark.', 2],
      ['Seals bark at bulls every night.', 2],
    ])
    expect(likest(1, 'seal', 'bull')).toHaveLength(1)
    expect(likest(3, 'cow')).toEqual([])
    const long = `${'a'.repeat(1500)} seals.`
    expect(page(long).likest(['seal'], 1)[0]?.text).toHaveLength(1000)
  })
})
