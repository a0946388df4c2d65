import { expect, test } from 'bun:test'
import { GeminiGrounding } from '../../../../src/api/dialects/gemini/grounding.ts'
import type { Search, SearchEvent, SearchResult } from '../../../../src/domain/search.ts'
import { pages } from '../../../support/scripted-executor.ts'

const searches: readonly Search[] = [{ id: 's1', query: 'bees', results: pages(4) }]

/** The events of a text whose markers are citations, cut into pieces of a few letters. */
function eventsOf(text: string, results: readonly SearchResult[]): readonly SearchEvent[] {
  const pieces = text.match(/[\s\S]{1,3}/g) ?? []
  let sent = 0
  const markers = [...text.matchAll(/\[(\d)\]/g)]
  return pieces.flatMap((piece): readonly SearchEvent[] => {
    const before = sent
    sent += piece.length
    const ended = markers.filter(({ index, 0: found }) => index + found.length > before && index + found.length <= sent)
    const citations = ended.map(({ index, 0: found, 1: digit }): SearchEvent => {
      const page = results[Number(digit) - 1]
      if (!page) throw new Error('The text cites a page that there is not.')
      const { url, title } = page
      return {
        type: 'citation',
        citation: { number: Number(digit), url, title, start: index, end: index + found.length },
      }
    })
    return [{ type: 'text-delta', text: piece }, ...citations]
  })
}

function ground(text: string) {
  const grounded = new GeminiGrounding()
  grounded.push({ type: 'search-results', id: 's1', results: pages(4) })
  const written = eventsOf(text, pages(4)).map((event) => grounded.push(event))
  const whole = [...written, grounded.flush()].join('')
  const { groundingChunks, groundingSupports } = grounded.metadata(searches)
  const bytes = new TextEncoder().encode(whole)
  const supports = groundingSupports.map(({ segment, groundingChunkIndices }) => {
    expect(new TextDecoder().decode(bytes.slice(segment.startIndex, segment.endIndex))).toBe(segment.text)
    return [segment.text, groundingChunkIndices.map((index) => groundingChunks[index]?.web.title)]
  })
  return { whole, supports, titles: groundingChunks.map(({ web }) => web.title) }
}

test.each([
  ['Bees hum [1].', 'Bees hum.', [['Bees hum', ['Page 1']]]],
  ['Bees hum. [1]', 'Bees hum.', [['Bees hum.', ['Page 1']]]],
  ['Bees fly. They hum [3][1].', 'Bees fly. They hum.', [['They hum', ['Page 3', 'Page 1']]]],
  [
    'Bees hum [1], and wasps do [2]. Nobody knows why. So it is! [2]',
    'Bees hum, and wasps do. Nobody knows why. So it is!',
    [
      ['Bees hum', ['Page 1']],
      ['and wasps do', ['Page 2']],
      ['So it is!', ['Page 2']],
    ],
  ],
  [
    'Zürich grüßt 🐝🐝 [1].\n- Größe: 4 m² [2]\n- ёж и 蜜蜂。蜂が飛ぶ [4]。',
    'Zürich grüßt 🐝🐝.\n- Größe: 4 m²\n- ёж и 蜜蜂。蜂が飛ぶ。',
    [
      ['Zürich grüßt 🐝🐝', ['Page 1']],
      ['- Größe: 4 m²', ['Page 2']],
      ['蜂が飛ぶ', ['Page 4']],
    ],
  ],
  ['[1] stands alone', ' stands alone', []],
])('%j is grounded sentence by sentence, in bytes of UTF-8', (text, whole, supports) => {
  expect(ground(text)).toMatchObject({ whole, supports })
})

test('only the cited pages are chunks, in the order found', () => {
  expect(ground('Bees hum [4]. They fly [2].').titles).toEqual(['Page 2', 'Page 4'])
  expect(ground('Bees hum.').titles).toEqual(['Page 1', 'Page 2', 'Page 3', 'Page 4'])
})
