import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { WrappedText, wrapped as wrappedFor } from '../../../src/runtime/shell/wrapped-text.ts'

function wrapped(width: number, ...pieces: readonly string[]): string {
  const text = new WrappedText(width)
  return pieces.map((piece) => text.push(piece)).join('') + text.end()
}

describe('text that is wrapped while it is written', () => {
  test('breaks at spaces, wherever it is cut into pieces', () => {
    const text = 'Harbour seals sleep on land, and in water.\n\nThey dive.'
    const expected = 'Harbour seals\nsleep on land,\nand in water.\n\nThey dive.'
    expect(wrapped(14, text)).toBe(expected)
    fc.assert(
      fc.property(fc.array(fc.nat(text.length)), (cuts) => {
        const places = [0, ...cuts.sort((left, right) => left - right), text.length]
        expect(wrapped(14, ...places.map((place, index) => text.slice(place, places[index + 1])))).toBe(expected)
      }),
    )
  })

  test('indents the items of a list, and leaves code and tables alone', () => {
    expect(wrapped(12, '- one two three\n  and four five\n1. six seven')).toBe(
      '- one two\n  three\n  and four\n  five\n1. six seven',
    )
    const code = '```\nconst long = lines(stay)\n```\n| a long | table stays |\n'
    expect(wrapped(12, code)).toBe(code)
  })

  test('counts the columns of wide letters, between which a line may break', () => {
    expect(wrapped(10, '港湾のアザラシは陸で眠る')).toBe('港湾のアザ\nラシは陸で\n眠る')
    expect(wrapped(10, 'see 港湾のア')).toBe('see 港湾の\nア')
  })

  test('keeps a word that is longer than the line', () => {
    expect(wrapped(10, 'at https://example.org/long now')).toBe('at\nhttps://example.org/long\nnow')
  })

  test('keeps a command of csp on one line, so that it can be copied, unless it is wider than the terminal', () => {
    const say = (text: string, columns: number) => wrappedFor(text, { isTerminal: true, columns })
    const text = 'Another device needs a key of its own: csp keys add NAME --searches 50 makes one.'
    expect(say(text, 44)).toBe('Another device needs a key of its own:\ncsp keys add NAME --searches 50 makes one.')
    expect(say('To ask: csp ask "how do bees dance".', 30)).toBe('To ask:\ncsp ask "how do bees dance".')
    expect(
      say(text, 24)
        .split('\n')
        .every((line) => line.length <= 24),
    ).toBe(true)
  })

  test('fills a line to its last column, and keeps no space at its end', () => {
    expect(wrapped(11, 'abcde fghij')).toBe('abcde fghij')
    expect(wrapped(10, 'abcde fghij')).toBe('abcde\nfghij')
    expect(wrapped(20, 'abcde  \n', '  fghij ')).toBe('abcde\n  fghij')
    expect(wrapped(5, 'abcdefghij k')).toBe('abcdefghij\nk')
  })

  test('counts what is added to a word as nothing', () => {
    const text = new WrappedText(11, (word) => word.replace('[1]', '\x1b]8;;x\x1b\\[1]\x1b]8;;\x1b\\'))
    expect(text.push('one [1] two three') + text.end()).toBe('one \x1b]8;;x\x1b\\[1]\x1b]8;;\x1b\\ two\nthree')
  })
})

test('whole lines are broken between words on a terminal, never in a path, and left alone in a file', () => {
  const path = '/home/somebody/.config/claude/desktop/configuration.json'
  const text = `  The former file is ${path} now.\nDone.\n`
  expect(wrappedFor(text, { isTerminal: true, columns: 40 })).toBe(`  The former file is\n  ${path}\n  now.\nDone.\n`)
  expect(wrappedFor(text, { isTerminal: false, columns: 40 })).toBe(text)
})
