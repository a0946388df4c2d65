import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type CitedDelta, CitedDeltas } from '../../src/server-tools/cited-deltas.ts'

/** The parts of a text that comes cut at these places, joined where words follow words. */
function partsOf(text: string, pages = 3, cuts: readonly number[] = []): readonly CitedDelta[] {
  const cited = new CitedDeltas()
  const places = [0, ...cuts.map((cut) => Math.min(cut, text.length)).sort((a, b) => a - b), text.length]
  const parts = places.slice(1).flatMap((end, index) => [...cited.push(text.slice(places[index], end), pages)])
  return [...parts, ...cited.end(pages)].reduce<CitedDelta[]>((joined, part) => {
    const last = joined.at(-1)
    if ('text' in part && last && 'text' in last) joined[joined.length - 1] = { text: last.text + part.text }
    else joined.push(part)
    return joined
  }, [])
}

describe('the number of a page in a text', () => {
  test.each([
    ['Seals bark [2].', [{ text: 'Seals bark' }, { number: 2 }, { text: '.' }]],
    ['Seals bark.[1][3] They dive.', [{ text: 'Seals bark.' }, { number: 1 }, { number: 3 }, { text: ' They dive.' }]],
    ['At the end [3]', [{ text: 'At the end' }, { number: 3 }]],
  ])('becomes a citation: %s', (text, parts) => {
    expect(partsOf(text)).toEqual(parts)
  })

  test.each([
    'Nobody has it [4] nor [0].',
    'An entry list[1] of a list.',
    'In code `list [1]` and in a fence\n```\na [2]\n```',
    'A link [1](https://a.example).',
    'Brackets [a] [12',
    '[',
  ])('stays a text: %s', (text) => {
    expect(partsOf(text)).toEqual([{ text }])
  })

  test('is found behind a block whose code did not end', () => {
    const cited = new CitedDeltas()
    expect([...cited.push('In `code [1] ', 3), ...cited.end(3)].every((part) => 'text' in part)).toBe(true)
    expect([...cited.push('Seals bark [1].', 3), ...cited.end(3)]).toContainEqual({ number: 1 })
  })

  test('is found wherever the text is cut', () => {
    const text = 'Seals bark [2]. `a [1]` list[1] and [x](y) [9] at last.[3] `'
    const whole = partsOf(text)
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 20 }), (cuts) => {
        expect(partsOf(text, 3, cuts)).toEqual(whole)
      }),
    )
  })

  test('loses no character of a text without numbers of pages', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('[', ']', '1', '`', ' ', 'a', '(') }), fc.nat(9), (text, cut) => {
        expect(partsOf(text, 0, [cut])).toEqual(text === '' ? [] : [{ text }])
      }),
    )
  })
})
