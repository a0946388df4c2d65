import { describe, expect, test } from 'bun:test'
import { finished } from '@csp/lib/pieces'
import { type Quantity, quantityOf } from '../src/quantities.ts'
import { QuantityIndex } from '../src/quantity-index.ts'
import { scan } from '../src/scan.ts'

const pageOf = (text: string, years: readonly number[] = []) =>
  finished(QuantityIndex.reading(scan(text), new Set(), years, 'en'))

/** The numbers of a text. */
function amounts(text: string): Quantity[] {
  const read: Quantity[] = []
  for (const figure of scan(text).figures.toReversed()) read.unshift(quantityOf(text, figure, read[0], 'en'))
  return read
}

function amount(text: string): Quantity {
  const [first] = amounts(text)
  if (!first) throw new Error(`no number in ${text}`)
  return first
}

test.each([
  ['5 km', '5,000 m', true],
  ['5 km', '5 kg', false],
  // Rounded to its last place, but for an eighth at most.
  ['5 km', '5.49 km', true],
  ['5 km', '4.51 km', true],
  ['5 km', '5.6 km', false],
  ['5 km', '4.4 km', false],
  ['2 km', '1.8 km', true],
  ['2 km', '1.6 km', false],
  ['three hundred metres', '300 metres', true],
  ['three hundred metres', '299.9 metres', false],
  // Without a unit a number may be any.
  ['5', '5 km', true],
  ['5', '6 km', false],
  // A page may have the unit elsewhere, unless it gives the number with another one.
  ['5 km', '5', true],
  ['5 km', '6', false],
  ['5 km', '5000', false],
  ['5 km', '5 of them, 5.4 kg', false],
  ['5 km', '5 of them, 4.6 kg', false],
  ['5 km', '5 of them, minus 5 kg', false],
  ['5 km', '5 of them, 5.6 kg', true],
  // What is the least is not the most.
  ['5 km', 'at least 5 km', true],
  ['at least 5 km', '5 km', true],
  ['at least 5 km', 'at least 5 km', true],
  ['at least 5 km', 'at most 5 km', false],
  ['at most 5 km', 'at least 5 km', false],
  // Of a share the page may leave out what it is a share of, or the claim.
  ['5 mg/l', '5 mg', true],
  ['5 mg', '5 mg/l', true],
  ['5 mg/l', '5 mg/kg', false],
  ['30 mg/dl', '300 mg/l', true],
  // Degrees are of any scale; differences have no zero.
  ['30 °C', '86 °F', true],
  ['30 °C', '303.15 K', true],
  ['30 °C', '86 degrees', true],
  ['86 °C', '86 degrees', true],
  ['86 °C', '86 °F', false],
  ['10 °C', '18 °F', true],
  ['86°', '86 degrees', true],
  // A dollar may be of several countries.
  ['US$5', '$5', true],
  ['$5', 'NZ$5', true],
  ['US$5', 'NZ$5', false],
  ['$5', '€5', false],
])('%s is looked for in %s: %p', (claim, page, isThere) => {
  expect(pageOf(page).has(amount(claim))).toBe(isThere)
})

test('with any sign an amount is found with the other one, too', () => {
  for (const page of ['−5.4 %', '−4.6 %']) {
    expect(pageOf(page).has(amount('5 %'))).toBe(false)
    expect(pageOf(page).has(amount('5 %'), true)).toBe(true)
    expect(pageOf(page).hasNumber(amount('5'))).toBe(true)
  }
  expect(pageOf('−5.6 %').has(amount('5 %'), true)).toBe(false)
  expect([4.4, 4.6, 5.4, 5.6].map((value) => pageOf(`${value} %`).hasNumber(amount('5')))).toEqual([
    false,
    true,
    true,
    false,
  ])
})

test('a year that a page is of is a number of it, which stands nowhere', () => {
  const page = pageOf('Seals bark.', [2024])
  expect(page.hasNumber(amount('2024'))).toBe(true)
  expect(page.sentencesWith(amount('2024'), 8)).toEqual([])
})

test('two numbers are a score in either order, 32 letters apart at most', () => {
  const has = (page: string, score: string) => {
    const [first, second] = amounts(score)
    return first && second && pageOf(page).hasScore(first, second)
  }
  expect([has('3–1', '3–1'), has('3–1', '1–3'), has('3–1', '3–2'), has('3–1', '2–1')]).toEqual([
    true,
    true,
    false,
    false,
  ])
  const apart = (letters: number) => has(`3${' '.repeat(letters)}1`, '3–1')
  expect([apart(32), apart(33)]).toEqual([true, false])
})

describe('the sentences that have an amount', () => {
  const text = 'A has 5 km. B has 6 km. C has 5,000 m. D has 4 kg. E has 5 km.'
  test.each([
    [text, '5 km', 8, [0, 2, 4]],
    [text, '5 km', 2, [0, 2]],
    [text, '6 km', 8, [1]],
    [text, '7 km', 8, []],
    [text, '4', 8, [3]],
    ['It rained. It was −5 % then.', '5 %', 8, [1]],
    ['It rained. It cost £5.', '5 pounds', 8, [1]],
    ['It rained. Two thirds of them bark.', '66.7 %', 8, [1]],
    ['It rained. Of them, two thirds of the old bark.', '66.7 %', 8, [1]],
    ['At least 5 km, at most 5 km.', '5 km', 8, [0]],
  ])('in %j of %s, %d at most, are %j', (page, claim, most, sentences) => {
    expect(pageOf(page).sentencesWith(amount(claim), most)).toEqual(sentences)
  })
})

test.each(['5 km, ', 'half of '])('a page that is nothing but %j is read in some pieces', (words) => {
  const reading = QuantityIndex.reading(scan(words.repeat(4000)), new Set(), [], 'en')
  let pieces = 0
  while (!reading.next().done) pieces++
  expect(pieces).toBeWithin(6, 60)
})
