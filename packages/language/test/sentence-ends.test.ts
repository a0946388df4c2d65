import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { endsSentence, isAbbreviated, sentenceEnds } from '../src/sentence-ends.ts'

const sentencesOf = (text: string): readonly string[] => {
  const ends = sentenceEnds(text)
  return ends.map((end, at) => text.slice(ends[at - 1] ?? 0, end).trim()).filter(Boolean)
}

describe('the ends of sentences', () => {
  test.each([
    ['It rained. Then it stopped! Why?', ['It rained.', 'Then it stopped!', 'Why?']],
    ['He said “Go.” She went.', ['He said “Go.”', 'She went.']],
    ['Version 2.1 is out. It costs 3.50 euros.', ['Version 2.1 is out.', 'It costs 3.50 euros.']],
    ['Dr. Smith met Prof. Lee of Acme Inc. Today.', ['Dr. Smith met Prof. Lee of Acme Inc. Today.']],
    [
      'Laut Abb. 3 (vgl. Bd. 2) kostet es inkl. 19 % mehr. Er ging.',
      ['Laut Abb. 3 (vgl. Bd. 2) kostet es inkl. 19 % mehr.', 'Er ging.'],
    ],
    ['Am 5. Mai kam sie. Er blieb.', ['Am 5. Mai kam sie.', 'Er blieb.']],
    ['雨が降った。「止んだ。」と彼は言った。', ['雨が降った。', '「止んだ。」', 'と彼は言った。']],
    ['توقف المطر؟ نعم۔ حسنا.', ['توقف المطر؟', 'نعم۔', 'حسنا.']],
    ['one line\nanother line', ['one line', 'another line']],
    ['e.g. this, etc. and so on.', ['e.g. this, etc. and so on.']],
    ['', []],
  ])('%s', (text, sentences) => {
    expect(sentencesOf(text)).toEqual([...sentences])
  })

  test('come in order, and the last one is the end of the text', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('. ', '.', '。', '\n', ' ', 'a', 'A', '5', 'Dr', '”')), (parts) => {
        const text = parts.join('')
        const ends = sentenceEnds(text)
        expect(ends.at(-1)).toBe(text.length)
        expect(ends.toSorted((a, b) => a - b)).toEqual([...ends])
      }),
    )
  })

  test.each(['Done.', 'Really?”', '終わり。」', 'so (it was.)', 'bold.**'])('a text that ends as one: %s', (text) => {
    expect(endsSentence(text)).toBe(true)
  })

  test.each(['Menu', '', 'Done. and', 'see:'])('a text that does not: %s', (text) => {
    expect(endsSentence(text)).toBe(false)
  })

  test('a point belongs to an abbreviation, and no other mark does', () => {
    expect(isAbbreviated('Dr. Smith', 2)).toBe(true)
    expect(isAbbreviated('Dr! Smith', 2)).toBe(false)
    expect(isAbbreviated('word. Next', 4)).toBe(false)
  })
})
