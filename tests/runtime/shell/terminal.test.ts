import { describe, expect, test } from 'bun:test'
import { anyText } from '@csp/testing/any-text'
import fc from 'fast-check'
import { safe, safeLine, styleFor, wrap } from '../../../src/runtime/shell/terminal.ts'

describe('text for a terminal', () => {
  test.each([
    ['a colour', 'a\x1b[31mred\x1b[0m b', 'ared b'],
    ['a cursor move', 'a\x1b[2J\x1b[1;1Hb', 'ab'],
    ['a window title', 'a\x1b]0;owned\x07b', 'ab'],
    ['a link', 'a\x1b]8;;http://evil.example\x1b\\b\x1b]8;;\x1b\\', 'ab'],
    ['a clipboard write', '\x1b]52;c;ZXZpbA==\x07x', 'x'],
    ['a device string', 'a\x1bPq#0\x1b\\b', 'ab'],
    ['8-bit controls', 'a\x9b31mb\x9d0;t\x9cc', 'abc'],
    ['a reset', 'a\x1bcb', 'ab'],
    ['an unfinished sequence', 'a\x1b', 'a'],
    ['an unfinished title, of which only the escape goes', 'a\x1b]0;b', 'a0;b'],
    ['a carriage return, which could overwrite a line', 'good\rbad', 'good\nbad'],
    ['backspaces', 'good\b\b\b\bevil', 'goodevil'],
    ['a bell and a NUL', 'a\x07\0b', 'ab'],
    ['bidirectional overrides', 'a\u202eb\u2066c\u2069\u200f', 'abc'],
    ['tag characters', 'a\u{e0041}b', 'ab'],
    ['a lone surrogate', 'a\ud800b', 'a\ufffdb'],
  ])('loses %s', (_, text, expected) => {
    expect(safe(text)).toBe(expected)
  })

  test('keeps lines, tabs, scripts and joined emoji', () => {
    const text = 'naïve 日本\tعربي\nمی‌خواهم 👩‍💻 €'
    expect(safe(text)).toBe(text)
  })

  test('has nothing that a terminal acts on, for any input', () => {
    const parts = fc.constantFrom('\x1b', '[', ']', '\x9b', '\x07', '31m', '\\', '\u202e', '\r', 'a', '\x00', '\x1b]0;')
    fc.assert(
      fc.property(fc.array(fc.oneof(parts, anyText())), (pieces) => {
        expect(safe(pieces.join(''))).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/)
      }),
    )
  })

  test('becomes one line with safeLine', () => {
    expect(safeLine('  a\r\n\x1b[1mb\tc ')).toBe('a b c')
  })
})

describe('wrapping text', () => {
  test('breaks at spaces and indents each line', () => {
    expect(wrap('one two three four', 11, '  ')).toBe('  one two\n  three\n  four')
  })

  test('keeps a word whole that is longer than the line', () => {
    expect(wrap('a https://example.org/long b', 10)).toBe('a\nhttps://example.org/long\nb')
  })

  test('counts columns, and breaks where a script has no spaces', () => {
    const lines = wrap('港湾のアザラシは陸で眠る、と言われています。', 20, '    ').split('\n')
    expect(lines.length).toBeGreaterThan(1)
    for (const line of lines) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(20)
    expect(lines.map((line) => line.trim()).join('')).toBe('港湾のアザラシは陸で眠る、と言われています。')
  })
})

describe('links', () => {
  const link = (environment: Readonly<Record<string, string>>, isTerminal = true) =>
    styleFor(isTerminal, environment).link('Seals', 'https://example.org/séals')

  test('are written for terminals that know them, in ASCII', () => {
    const expected = '\x1b]8;;https://example.org/s%C3%A9als\x1b\\Seals\x1b]8;;\x1b\\'
    expect(link({ TERM_PROGRAM: 'WezTerm' })).toBe(expected)
    expect(link({ TERM: 'xterm-kitty' })).toBe(expected)
    for (const name of ['WT_SESSION', 'KITTY_WINDOW_ID', 'DOMTERM']) expect(link({ [name]: 'x' })).toBe(expected)
    expect(link({ VTE_VERSION: '5000' })).toBe(expected)
    expect(link({ KONSOLE_VERSION: '210400' })).toBe(expected)
    expect(link({ FORCE_HYPERLINK: '1' })).toBe(expected)
  })

  test('are plain text elsewhere', () => {
    expect(link({ TERM: 'xterm-256color' })).toBe('Seals')
    expect(link({ VTE_VERSION: '4999', KONSOLE_VERSION: '210399' })).toBe('Seals')
    expect(styleFor(true, { TERM: 'xterm-256color' }).hasLinks).toBe(false)
    expect(link({ TERM: 'tmux-256color', VTE_VERSION: '7600' })).toBe('Seals')
    expect(link({ TERM_PROGRAM: 'WezTerm' }, false)).toBe('Seals')
    expect(link({ TERM_PROGRAM: 'WezTerm', NO_COLOR: '1' })).toBe('Seals')
    expect(link({ TERM_PROGRAM: 'WezTerm', FORCE_HYPERLINK: '0' })).toBe('Seals')
  })

  test('hold no address that is none', () => {
    expect(styleFor(true, { FORCE_HYPERLINK: '1' }).link('x', 'no address')).toBe('x')
  })
})

test.each([
  [true, {}, '\x1b[1mx\x1b[22m'],
  [false, {}, 'x'],
  [true, { NO_COLOR: '1' }, 'x'],
  [true, { TERM: 'dumb' }, 'x'],
])(
  'styles are used only where they should be: terminal %p with the environment %j',
  (isTerminal, environment, expected) => {
    expect(styleFor(isTerminal, environment).bold('x')).toBe(expected)
  },
)
