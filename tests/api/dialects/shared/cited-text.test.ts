import { expect, test } from 'bun:test'
import { withoutMarkers } from '../../../../src/api/dialects/shared/cited-text.ts'

/** Every `[n]` of the text, cited. */
function cited(text: string) {
  const citations = [...text.matchAll(/\[(\d+)\]/g)].map(({ index, 0: marker, 1: number }) => ({
    number: Number(number),
    url: 'https://site.example',
    title: 'Page',
    start: index,
    end: index + marker.length,
  }))
  return { text, citations }
}

test.each([
  ['Bees hum [1].', 'Bees hum.'],
  ['Bees hum [1][12]. They fly [2] [3].', 'Bees hum. They fly.'],
  ['Bees 🐝 hum[1] and fly.', 'Bees 🐝 hum and fly.'],
  ['Bees hum.\n\n[1] They fly.', 'Bees hum.\n\n They fly.'],
  ['Bees hum.', 'Bees hum.'],
])('the cited text %j has its markers removed', (text, plain) => {
  expect(withoutMarkers(cited(text))).toBe(plain)
})

test('text in brackets that is not a marker stays', () => {
  expect(withoutMarkers({ text: 'See list[0].', citations: [] })).toBe('See list[0].')
})
