import { describe, expect, test } from 'bun:test'
import { extract } from '../../src/extract/extract.ts'
import { contentsOfText, extractText } from '../../src/extract/plain.ts'
import { extractForm } from '../../src/extract/site-form.ts'
import { PageError } from '../../src/page-error.ts'
import type { SiteName } from '../../src/sites/sites.ts'

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

describe('the form of a page', () => {
  const read = (value: unknown, site: SiteName, isRough?: boolean) => {
    const body = new TextEncoder().encode(JSON.stringify(value))
    const page = { contentType: 'application/json', url: 'https://lamps.example/a/', mainContentOnly: true }
    return extractForm({ ...page, body, isRough }, site)
  }
  const item = { created_at: '2026-02-01T10:00:00Z', title: 'Lamp', author: 'Ann', text: 'See <a href="b">b</a>.' }

  test('has the words of its site, within bounds, and what that says of it', () => {
    const version = { name: 'a'.repeat(600), version: '1', author: 'b'.repeat(300) }
    const { title, author, ...page } = read([version], 'npm')
    expect([title?.length, author?.length]).toEqual([500, 200])
    expect(page).toMatchObject({ contentType: 'text/markdown', siteName: 'npm', kind: 'documentation' })
    expect(page.publishedBy).toBeUndefined()
    expect(read([item], 'hacker-news')).toMatchObject({
      ...{ contentType: 'text/html', title: 'Lamp', author: 'Ann', publishedAt: '2026-02-01', publishedBy: 'site' },
      links: ['https://lamps.example/a/b'],
    })
  })

  test('is read roughly where that is asked for', () => {
    expect(read([item], 'hacker-news', true).contents.html).toBe('')
    expect(read([item], 'hacker-news', true).contents.markdown).toContain('# Lamp')
    expect(read([item], 'hacker-news').contents.html).toContain('<h1>Lamp</h1>')
  })

  test.each([[{}], [[7]], [[]]])('of another shape is none: %j', (value) => {
    expect(() => read(value, 'hacker-news')).toThrow('The reply of the site for this page cannot be read.')
  })
})

test('a page has 16 million letters at most, in all formats together', async () => {
  const outcome = (length: number) =>
    extract({
      ...{ body: new Uint8Array(length).fill(97), contentType: 'text/plain', url: 'https://bees.example/' },
      mainContentOnly: true,
    }).then(
      ({ contents }) => contents.text.length,
      (error: PageError) => error.code,
    )
  // `<pre></pre>` is a part of its HTML.
  expect([await outcome(5_333_329), await outcome(5_333_330)]).toEqual([5_333_329, 'too-large'])
})
