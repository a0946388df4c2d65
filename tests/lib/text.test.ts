import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { counted, cutAtWord, firstPlace, oneLine, shellWord, withoutMarkup, withoutPiles } from '../../src/lib/text.ts'
import { runs } from '../support/runs.ts'

test('a text without its markup is one line, with no space around it', () => {
  const words = fc.array(fc.constantFrom(' ', '\n', '\t', 'bees', 'and', '[a](https://a.example/)', '**', '&amp;'))
  fc.assert(
    fc.property(words, (parts) => {
      const text = withoutMarkup(parts.join(''))
      expect(text).toBe(oneLine(text))
      expect(text).not.toContain('https:')
    }),
    { numRuns: runs(200), examples: [[[' ', 'bees', ' ']], [['\n', '**', 'bees', '**', '\n']]] },
  )
})

describe('texts', () => {
  test('are cut between words where that is possible', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('ab', ' ', '😀'), { maxLength: 12 }), fc.nat(12), (parts, length) => {
        const text = parts.join('')
        const cut = cutAtWord(text, length)
        expect(cut.length).toBeLessThanOrEqual(length)
        if (text.length <= length) return expect(cut).toBe(text)
        expect(cut.isWellFormed()).toBe(true)
        const isBetween = text.slice(cut.length).startsWith(' ')
        expect(isBetween || text.lastIndexOf(' ', length) <= 0).toBe(true)
      }),
      { numRuns: runs(300) },
    )
  })

  test('are counted, quoted for a shell, and have 30 marks on a letter at most', () => {
    expect([counted(1, 'page'), counted(0, 'page'), counted(2, 'entry', 'entries')]).toEqual([
      '1 page',
      '0 pages',
      '2 entries',
    ])
    expect(['a/b:c=1', '', 'a b', "it's"].map(shellWord)).toEqual(['a/b:c=1', "''", "'a b'", "'it'\\''s'"])
    expect(withoutPiles(`a${'\u0301'.repeat(40)}b`)).toBe(`a${'\u0301'.repeat(30)}b`)
  })

  test('and other items are found by halves', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20)), fc.nat(21), (items, least) => {
        const sorted = items.toSorted((a, b) => a - b)
        expect(firstPlace(sorted, (item) => item >= least)).toBe(sorted.filter((item) => item < least).length)
      }),
      { numRuns: runs(200) },
    )
  })
})
