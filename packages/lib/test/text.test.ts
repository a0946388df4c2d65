import { describe, expect, test } from 'bun:test'
import { runs } from '@csp/testing/runs'
import fc from 'fast-check'
import {
  CleanText,
  cleanWritten,
  counted,
  cutAtWord,
  firstPlace,
  InertText,
  oneLine,
  shellWord,
  withoutMarkup,
  withoutPiles,
} from '../src/text.ts'

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

describe('written text', () => {
  test.each([
    // Joiners part nothing but an address between two ASCII characters.
    ['a\u200db', 'ab'],
    ['é\u200db', 'é\u200db'],
    ['a\u200dé', 'a\u200dé'],
    ['é\u200d\u200d\u200db', 'é\u200d\u200db'],
    ['é\u200bb', 'éb'],
    ['\u00ad', ''],
    ['漢\ufe00', '漢\ufe00'],
    ['漢\u{e0100}', '漢\u{e0100}'],
    ['漢\ufe0f', '漢'],
    ['a\u{e0100}', 'a'],
    ['a\ufe0f', 'a'],
    ['1\ufe0f\u20e3', '1\ufe0f\u20e3'],
    ['❤\ufe0f\ufe0f', '❤\ufe0f'],
    ['é\u200d\ufe0f', 'é\u200d'],
    ['\x1b[1m\u202ea', ' [1m a'],
    ['\ud83d', '\ufffd'],
  ])('keeps of what nobody sees what writing needs: %j', (text, clean) => {
    expect(cleanWritten(text)).toBe(clean)
  })

  test('says where its characters stand when others have gone', () => {
    const clean = new CleanText()
    const passed = ['a\u200d\u200b', 'b\u{e0100}c\u200d', 'é'].map((part) => clean.push(part))
    expect([passed, clean.end()]).toEqual([['a', 'bc', '\u200dé'], ''])
    expect(Array.from({ length: 9 }, (_, place) => clean.place(place))).toEqual([0, 1, 1, 1, 2, 2, 2, 3, 4])
  })

  test('waits for what comes behind half of a pair, or what is not seen', () => {
    const inert = new InertText()
    expect(['a\ud83d', '\ude00\u202e', '\ud83d'].map((part) => inert.push(part))).toEqual(['a', '😀 ', ''])
    expect([inert.end(), inert.end()]).toEqual(['\ufffd', ''])
    const clean = new CleanText()
    expect(['é\u200d', '\u200d', '\u200d'].map((part) => clean.push(part))).toEqual(['é', '', ''])
    expect([clean.end(), clean.push('b')]).toEqual(['\u200d\u200d', 'b'])
  })
})
