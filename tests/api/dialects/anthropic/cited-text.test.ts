import { describe, expect, test } from 'bun:test'
import { runs } from '@csp/testing/runs'
import fc from 'fast-check'
import { type CitedPart, CitedText } from '../../../../src/api/dialects/shared/cited-text.ts'
import type { Citation } from '../../../../src/domain/search.ts'

/** `{1}` stands for a marker that is cited; what looks like one and is not is written out. */
function read(template: string): { text: string; citations: readonly Citation[] } {
  let text = ''
  const citations: Citation[] = []
  for (const [piece, number] of template.matchAll(/\{(\d)\}|[^{]+/g)) {
    const start = text.length
    text += number === undefined ? piece : `[${number}]`
    if (number !== undefined) citations.push(citationOf(Number(number), start, text.length))
  }
  return { text, citations }
}

function citationOf(number: number, start: number, end: number): Citation {
  return { number, url: `https://site${number}.example/`, title: `Page ${number}`, start, end }
}

/** Pieces of text next to one another made one, and citations as `<n>`. */
function show(parts: readonly CitedPart[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : `<${part.citation.number}>`)).join('')
}

/** Yields each citation right after its marker, or all of them at the end. */
function write(pieces: readonly string[], citations: readonly Citation[], when: 'at once' | 'at the end'): CitedPart[] {
  const cited = new CitedText()
  const parts: CitedPart[] = []
  const waiting = [...citations]
  let length = 0
  for (const piece of pieces) {
    parts.push(...cited.push(piece, 3))
    length += piece.length
    while (when === 'at once' && waiting[0] && waiting[0].end <= length) {
      parts.push(...cited.cite(waiting[0]))
      waiting.shift()
    }
  }
  for (const citation of waiting) parts.push(...cited.cite(citation))
  return [...parts, ...cited.flush()]
}

describe('markers in a text', () => {
  test.each([
    ['Bees hum {1}.', 'Bees hum<1>.'],
    ['Bees hum {1} and fly.', 'Bees hum<1> and fly.'],
    ['Bees hum {1}and fly.', 'Bees hum<1> and fly.'],
    ['Bees hum{1}, {2} {3}.', 'Bees hum<1>,<2><3>.'],
    ['Bees hum.{1}{2}\n\nThey fly.', 'Bees hum.<1><2>\n\nThey fly.'],
    ['One:\n{1}\nTwo', 'One:<1>\n\nTwo'],
    ['{1} Bees hum.', '<1> Bees hum.'],
    ['Bees hum. {2}', 'Bees hum.<2>'],
    ['`list[1]` in {1} and [2020]', '`list[1]` in<1> and [2020]'],
    ['[1] [2] [3', '[1] [2] [3'],
    ['Code: \n', 'Code: \n'],
  ])('become citations: %j is written as %j', (template, shown) => {
    const { text, citations } = read(template)
    expect(show(write([text], citations, 'at the end'))).toBe(shown)
  })

  test('do not delay text that cannot be part of one', () => {
    const cited = new CitedText()
    expect(show(cited.push('It is 🙂 so ', 3))).toBe('It is 🙂 so')
    expect(show(cited.push('[', 3))).toBe('')
    expect(show(cited.push('4] or', 3))).toBe(' [4] or')
    expect(show(cited.push(' [0]', 3))).toBe(' [0]')
    expect(show(cited.push(' [2].', 3))).toBe('')
    expect(show(cited.cite(citationOf(2, 23, 26)))).toBe('<2>.')
  })

  test('stay as text when there are no sources', () => {
    expect(show(new CitedText().push('list[1] and [', 0))).toBe('list[1] and [')
  })
})

test('the pieces of a text, and the time of its citations, do not change the blocks', () => {
  const words = fc.constantFrom('bees', ' ', '\n', '.', '🙂', '{1}', '{2}', '{3}', '[1]', '[', ']', '12', '  ')
  const property = fc.property(fc.array(words), fc.infiniteStream(fc.integer({ min: 1, max: 4 })), (list, sizes) => {
    const { text, citations } = read(list.join(''))
    const pieces: string[] = []
    for (let at = 0; at < text.length; ) {
      const size = sizes.next().value ?? 1
      pieces.push(text.slice(at, at + size))
      at += size
    }
    const whole = show(write([text], citations, 'at the end'))
    expect(show(write(pieces, citations, 'at once'))).toBe(whole)
    expect(show(write(pieces, citations, 'at the end'))).toBe(whole)
    const letters = (shown: string) => shown.replaceAll(/<\d>|\s/g, '')
    expect(letters(whole)).toBe(letters(read(list.filter((word) => !word.startsWith('{')).join('')).text))
  })
  fc.assert(property, { numRuns: runs(2000) })
})
