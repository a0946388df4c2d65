import { expect, test } from 'bun:test'
import { finished } from '@csp/lib/pieces'
import { PageIndex } from '../src/page-index.ts'
import { type Quantity, quantityOf } from '../src/quantities.ts'
import { scan } from '../src/scan.ts'

/** What is shown of a page for the numbers and words of a sentence, instead of its first sentence. */
function shown(page: string, numbers: string, terms: readonly string[] = []) {
  const index = finished(PageIndex.reading({ text: page }, 200_000))
  const figures: Quantity[] = scan(numbers).figures.map((figure) => quantityOf(numbers, figure))
  const span = { start: 0, end: page.indexOf('. ') + 2 }
  const { start, end, figures: count } = index.placeToShow(figures, terms, span)
  return [page.slice(start, end).trim(), count]
}

const first = 'Seals live here. '
const filler = 'Nobody counts them. '

test.each([
  // The place that is given has as many of the numbers as any.
  ['Seals eat 5 kg. Seals eat 5 kg here. ', '5 kg', ['Seals eat 5 kg.', 1]],
  [`${first}Seals eat fish. `, '5 kg', ['Seals live here.', 0]],
  // A sentence with the number is shown with its neighbours.
  [
    `${first}${filler}They eat 5 kg. Then they sleep. The end. `,
    '5 kg',
    [`${filler}They eat 5 kg. Then they sleep.`, 1],
  ],
  // More numbers are better.
  [
    `${first}${filler}They eat 5 kg. ${filler}${filler}They eat 5 kg and 6 litres. ${filler}The end. `,
    '5 kg, 6 litres',
    [`${filler}They eat 5 kg and 6 litres. ${filler}`.trim(), 2],
  ],
] as const)('of %j for %s is shown: %j', (page, numbers, expected) => {
  expect(shown(page, numbers)).toEqual([...expected])
})

test('of two places with the same numbers the one with more of the words is shown', () => {
  const page = `${first}${filler}They eat 5 kg. ${filler}${filler}Hungry bulls eat 5 kg. ${filler}The end. `
  expect(shown(page, '5 kg', ['hungr', 'bull'])[0]).toContain('Hungry bulls')
  expect(shown(page, '5 kg')[0]).toContain('They eat')
})

test('neighbours are shown where all fit into 600 letters, and never before the first sentence', () => {
  const long = (letters: number) => `${'a'.repeat(letters - 2)}. `
  const page = (letters: number) => `${first}${long(letters)}They eat 5 kg. ${filler}The end. `
  const rest = `They eat 5 kg. ${filler}`.length
  expect(String(shown(page(600 - rest), '5 kg')[0])).toStartWith('aaa')
  expect(shown(page(601 - rest), '5 kg')).toEqual(['They eat 5 kg.', 1])
})

test('eight numbers of a sentence are looked for', () => {
  const numbers = Array.from({ length: 9 }, (_, at) => `${at + 11} kg`).join(', ')
  const page = `${first}${filler}They eat ${numbers}. ${filler}The end. `
  expect(shown(page, numbers)[1]).toBe(8)
})
