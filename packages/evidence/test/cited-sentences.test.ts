import { expect, test } from 'bun:test'
import { finished } from '@csp/lib/pieces'
import { citedSentences, type Marker } from '../src/cited-sentences.ts'

const page = { title: 'Solar parks | The Sun', url: 'https://www.sun.example/solar' }
const markersIn = (text: string, known: Partial<Marker> = page): Marker[] =>
  [...text.matchAll(/\[(\d)\]/g)].map(({ 1: number, index: start }) => ({
    ...{ number: Number(number), start, end: start + 3 },
    ...known,
  }))

test.each([
  ['It ran [1]. It stopped.', [['It ran.', 1]]],
  [
    'It ran. [1] It stopped. [2][1]',
    [
      ['It ran.', 1],
      ['It stopped.', 2, 1],
    ],
  ],
  ['It ran.[1][1] It stopped.', [['It ran.', 1]]],
  [
    'It ran.\n\n[1] It stopped [2].',
    [
      ['It ran.', 1],
      ['It stopped.', 2],
    ],
  ],
  [
    '- **It** _ran_ `x` [1]\n> # It  stopped [2]',
    [
      ['It ran x', 1],
      ['It stopped', 2],
    ],
  ],
  [
    '1. It ran [1]\n12) It | stopped [2]',
    [
      ['It ran', 1],
      ['It stopped', 2],
    ],
  ],
  ['[1]', []],
  // The name of a page before its marker is no part of what is said, in any of its forms.
  ['It ran. Solar parks | The Sun [1]', [['It ran.', 1]]],
  [
    'It ran. The Sun [1] It stopped. SOLAR PARKS [2]',
    [
      ['It ran.', 1],
      ['It stopped.', 2],
    ],
  ],
  ['It ran. sun.example [1]', [['It ran.', 1]]],
  [
    'It ran. (The Sun) [1] It stopped. (The Sun) [2]',
    [
      ['It ran.', 1],
      ['It stopped.', 2],
    ],
  ],
  // The last words of a sentence are said, even if a page is named so; a name that stands alone is none.
  [
    'Many are near the sun. [1] It stopped. [2]',
    [
      ['Many are near the sun.', 1],
      ['It stopped.', 2],
    ],
  ],
  ['Many are “near the sun.” [1]', [['Many are “near the sun.”', 1]]],
  ['It ran. The Sun. [1]', [['It ran.', 1]]],
  ['It ran (see [1]) [2].', [['It ran (see ).', 1, 2]]],
  // A longer word that ends as a name does is one.
  ['It likes unsolar parks [1]', [['It likes unsolar parks', 1]]],
  ['It likes the sun [1]', [['It likes', 1]]],
  ['It likes bethe sun [1]', [['It likes bethe sun', 1]]],
])('the cited sentences of %j are %j', (text, expected) => {
  const found = finished(citedSentences(text, markersIn(text).toReversed()))
  expect(found.map((one) => [one.text, ...one.sources])).toEqual(expected as never)
  for (const { start, end } of found) expect(text.slice(start, end)).toBe(text.slice(start, end).trim())
})

test.each([
  ['A', 'Plan A [1].', 'Plan A.'],
  ['AB', 'Plan AB [1].', 'Plan.'],
  ['海豹', '我们看海豹[1]。', '我们看。'],
  ['', 'Plan A [1].', 'Plan A.'],
])('the name %j before a marker in %j leaves %j', (title, text, expected) => {
  const [one] = finished(citedSentences(text, markersIn(text, { title })))
  expect(one?.text).toBe(expected)
})

test('a marker up to 600 letters behind its sentence belongs to it, and markers within one another count once', () => {
  const text = (gap: number) => `It ran.${' '.repeat(gap)}[1] It stopped.`
  const sentence = (gap: number) => finished(citedSentences(text(gap), markersIn(text(gap), {})))[0]?.text
  expect([sentence(599), sentence(600)]).toEqual(['It ran.', 'It stopped.'])
  const nested = [
    { number: 1, start: 7, end: 12 },
    { number: 2, start: 8, end: 10 },
  ]
  const [one] = finished(citedSentences('It ran [12345] and stopped.', nested))
  expect([one?.text, one?.sources]).toEqual(['It ran 5] and stopped.', [1, 2]])
})

test('the sentences of a long answer come in pieces', () => {
  const text = 'It ran [1]. '.repeat(1000)
  const reading = citedSentences(text, markersIn(text))
  let pieces = 0
  while (!reading.next().done) pieces++
  expect(pieces).toBe(50 + 10)
})
