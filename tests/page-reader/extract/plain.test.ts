import { describe, expect, test } from 'bun:test'
import { PageError } from '../../../src/domain/page-error.ts'
import { contentsOfText, extractText } from '../../../src/page-reader/extract/plain.ts'

describe('a page of text', () => {
  test('is trimmed, and escaped where it is HTML', () => {
    expect(extractText(' \x1b[1mBees & <b>\n')).toEqual({
      contents: { markdown: 'Bees & <b>', text: 'Bees & <b>', html: '<pre>Bees &amp; &lt;b&gt;</pre>' },
      title: undefined,
      links: [],
    })
    expect(() => extractText(' \n\x07')).toThrow(new PageError('empty', 'The page is empty.'))
  })

  test('has a title in its first 2000 characters', () => {
    const titled = (before: number) => extractText(`${'x'.repeat(before - 1)}\n# Bees \n`).title
    expect([titled(10), titled(1994), titled(1995), titled(1998)]).toEqual(['Bees', 'Bees', 'Bee', undefined])
    expect(extractText('#Bees').title).toBeUndefined()
  })
})

test.each([
  ['[a](file://x)', '[a\\](file://x)'],
  ['[a]( <DATA:x>)', '[a\\]( < DATA:x>)'],
  ['[a](&#106;avascript:x)', '[a\\](&#106;avascript:x)'],
  ['[a](\\\\host\\x)', '[a\\](\\\\host\\x)'],
  ['[a]: vbscript:x', '[a] : vbscript:x'],
  // A label that is escaped has no end there, except for a definition.
  ['[a\\](file:x)', '[a\\](file:x)'],
  ['[a\\\\](file:x)', '[a\\\\\\](file:x)'],
  ['[a\\]: file:x', '[a\\] : file:x'],
  ['<smb:x> <https:x>', '< smb:x> <https:x>'],
  ['[a](https://x) [b](/c) [d]: e', '[a](https://x) [b](/c) [d]: e'],
  [`[a](${'b'.repeat(299)})`, `[a](${'b'.repeat(299)})`],
  [`[a](${'b'.repeat(300)})`, `[a\\](${'b'.repeat(300)})`],
])('text that is read as Markdown leads to no file, share or script: %#', (text, markdown) => {
  expect(contentsOfText(text).markdown).toBe(markdown)
})
