import { describe, expect, test } from 'bun:test'
import { anyText } from '@csp/testing/any-text'
import { runs } from '@csp/testing/runs'
import fc from 'fast-check'
import { parseExcerpts } from '../../../src/executor/answer/excerpts.ts'

const a = { url: 'https://www.example.com/a/', title: 'First page' }
const b = { url: 'https://b.test/x_(y)?q=1', title: 'Second page' }
const results = [a, b]
const today = new Date('2026-06-01T12:00:00Z')

function snippets(text: string): (string | undefined)[] {
  const { excerpts } = parseExcerpts(text, results, today)
  return results.map(({ url }) => excerpts.get(url)?.snippet)
}

function dateWritten(date: string): string | undefined {
  return parseExcerpts(`https://example.com/a | ${date} | Words.`, results, today).excerpts.get(a.url)?.publishedAt
}

test('the format that was asked for', () => {
  const text = `Here is what I found.\n\nhttps://example.com/a | 2026-05-01 | One.\n${b.url} | ? | Two.\n\nIn short: both.`
  const { excerpts, coverage, rest } = parseExcerpts(text, results, today)
  expect([...excerpts]).toEqual([
    [a.url, { snippet: 'One.', publishedAt: '2026-05-01' }],
    [b.url, { snippet: 'Two.', publishedAt: undefined }],
  ])
  expect(coverage).toBe(2)
  expect(rest).toBe('Here is what I found.\n\nIn short: both.')
})

describe('other shapes', () => {
  test.each([
    ['bullets', `- https://example.com/a | 2026-05-01 | One.\n* ${b.url} | 2026-05-01 | Two.`],
    ['numbers and bold', `1. **https://example.com/a** | 2026-05-01 | One.\n2. **${b.url}** | ? | Two.`],
    [
      'a table',
      `| # | URL | Date | Excerpt |\n|---|:--|---|---|\n| 1 | https://example.com/a | ? | One. |\n| 2 | ${b.url} | ? | Two. |`,
    ],
    ['links', `[First page](https://example.com/a) | 2026-05-01 | One.\n[Second](${b.url} "S") | ? | Two.`],
    ['titles first', `First page | https://example.com/a | ? | One.\n**Second page** — ${b.url} — May 1, 2026 — Two.`],
    ['titles after', `https://example.com/a | First page | ? | One.\n${b.url} | Second page | 2026-05-01 | Two.`],
    ['dashes', `https://example.com/a - 2026-05-01 - One.\n${b.url} — 2 days ago — Two.`],
    ['tabs', `https://example.com/a\t2026-05-01\tOne.\n${b.url}\t?\tTwo.`],
    ['dates last', `https://example.com/a | One. | 2026-05-01\n${b.url} | Two. | 2026-05`],
    [
      'dates in parentheses',
      `https://example.com/a (May 1, 2026): One.\n- [Second page](${b.url}) (1 May 2026) - Two.`,
    ],
    [
      'named lines',
      `1. **First page**\n   URL: https://example.com/a\n   Date: 2026-05-01\n   Excerpt: One.\n\n**URL:** ${b.url}\n**Excerpt:** Two.`,
    ],
    ['a fence', `\`\`\`\nhttps://example.com/a | ? | One.\n${b.url} | ? | Two.\n\`\`\``],
    ['lines below', `https://example.com/a\n2026-05-01\nOne.\n${b.url}\n  Two.`],
    ['quotes', `https://example.com/a | ? | "One."\n${b.url} | ? | “Two.”`],
    [
      'other spellings of the URL',
      `http://www.example.com/a/#x | ? | One.\nhttps://b.test/x_%28y%29?q=1&amp;utm_source=x | ? | Two.`,
    ],
  ])('%s', (_, text) => {
    expect(snippets(text)).toEqual(['One.', 'Two.'])
    expect(parseExcerpts(text, results, today).rest).toBe('')
  })

  test('an empty line ends an excerpt, also one that is no whole sentence', () => {
    const text = 'https://example.com/a | ? | One goes on\n\nIn short: both.'
    expect(snippets(text)).toEqual(['One goes on', undefined])
    expect(parseExcerpts(text, results, today).rest).toBe('In short: both.')
  })

  test('an excerpt over several lines', () => {
    expect(snippets('https://example.com/a | ? | One goes\non here.\nSummary.')).toEqual([
      'One goes on here.',
      undefined,
    ])
    expect(snippets('- https://example.com/a | ? | One.\n  And more.\nSummary')).toEqual(['One. And more.', undefined])
  })

  test('dashes and bars of the excerpt stay apart from the fields', () => {
    expect(snippets('https://example.com/a - 2026-05-01 - One - or two - more.')[0]).toBe('One - or two - more.')
    expect(snippets('https://example.com/a | 2026-05-01 | One | two.')[0]).toBe('One two.')
  })
})

test('prose gives no excerpt, and is all rest', () => {
  const text = `The page https://example.com/a says so.\n\nMore of it.  `
  expect(parseExcerpts(text, results)).toEqual({ excerpts: new Map(), coverage: 0, rest: text })
})

test('what is said of an unknown URL goes to no other', () => {
  const text = 'https://example.com/a | ? | One.\nhttps://invented.test | 2026-05-01 | Not this.\n  Nor this.\nSummary.'
  const { excerpts, rest } = parseExcerpts(text, results, today)
  expect([...excerpts]).toEqual([[a.url, { snippet: 'One.', publishedAt: undefined }]])
  expect(rest).toBe('Summary.')
})

test('a word with a dot and a slash begins a sentence, and a result without its scheme a line', () => {
  const text = 'node.js/bun are fast.\nexample.com/a | ? | One.'
  expect(snippets(text)).toEqual(['One.', undefined])
  expect(parseExcerpts(text, results).rest).toBe('node.js/bun are fast.')
})

test('the first excerpt of a page counts, and a later date fills in', () => {
  const text = 'https://example.com/a | ? | One.\nhttps://example.com/a | 2026-05-01 | Other.'
  expect(parseExcerpts(text, results, today).excerpts.get(a.url)).toEqual({
    snippet: 'One.',
    publishedAt: '2026-05-01',
  })
})

test('coverage counts snippets, not dates', () => {
  const { excerpts, coverage } = parseExcerpts('https://example.com/a | 2026-05-01 | n/a', results, today)
  expect(excerpts.get(a.url)).toEqual({ snippet: undefined, publishedAt: '2026-05-01' })
  expect(coverage).toBe(0)
})

describe('dates', () => {
  test.each([
    ['2026-05-01', '2026-05-01'],
    ['2026/5/1', '2026-05-01'],
    ['2026-05-01T08:00:00Z', '2026-05-01'],
    ['May 1, 2026', '2026-05-01'],
    ['Friday, May 1st, 2026', '2026-05-01'],
    ['1 Sept. 2025', '2025-09-01'],
    ['01.05.2026', '2026-05-01'],
    ['2024-02-29', '2024-02-29'],
    ['2026-06-02', '2026-06-02'],
    ['2026-06-03', undefined],
    ['2026-02-30', undefined],
    ['2025-02-29', undefined],
    ['2026-05', undefined],
    ['May 2026', undefined],
    ['2 days ago', undefined],
    ['?', undefined],
  ])('%s', (written, expected) => {
    expect(dateWritten(written)).toBe(expected)
    expect(snippets(`https://example.com/a | ${written} | Words.`)[0]).toBe('Words.')
  })

  test('without a day to compare with, any real date holds', () => {
    expect(parseExcerpts('https://example.com/a | 2099-01-01 | x', results).excerpts.get(a.url)?.publishedAt).toBe(
      '2099-01-01',
    )
  })
})

describe('snippets', () => {
  test('a paragraph with links to several pages is the excerpt of none of them', () => {
    const paragraph = '[First](https://example.com/a) says one thing. [Second](https://example.com/b) says another.'
    expect(snippets(paragraph).filter(Boolean)).toEqual([])
  })

  test('are plain text', () => {
    const raw =
      '**Bold** _it_ `code` snake_case 2 * 3 [label](https://q.test/x) ![i](y.png) <b>tag</b> (https://q.test) www.q.test end.'
    expect(snippets(`https://example.com/a | ? | ${raw}`)[0]).toBe('Bold it code snake_case 2 * 3 label i tag end.')
  })

  test('hold no URL that is born of emphasis and links', () => {
    const raw = 'A ht**tps://q.test/**x b https:[//q.test/x](y.html) end.'
    expect(snippets(`https://example.com/a | ? | ${raw}`)[0]).toBe('A b end.')
  })

  test('are cut at a word', () => {
    const snippet = snippets(`https://example.com/a | ? | ${'word '.repeat(300)}`)[0] ?? ''
    expect(snippet.length).toBeLessThanOrEqual(500)
    expect(snippet).toMatch(/word…$/)
    expect(snippets(`https://example.com/a | ? | ${'😀'.repeat(300)}x`)[0]).toBeUndefined()
    expect(snippets(`https://example.com/a | ? | ${'x'.repeat(900)}`)[0]).toBe(`${'x'.repeat(499)}…`)
  })
})

test('for any text: it ends, keys are results, and no snippet holds a URL', () => {
  const salt = fc.constantFrom(
    ...[
      'https://example.com/a',
      b.url,
      'https://invented.test',
      ' | ',
      ' - ',
      '\t',
      '\n',
      '\n\n',
      '- ',
      '1. ',
      '**',
      '_',
      '`',
      '```',
    ],
    ...['2026-05-01', '?', 'words', 'www.', 'ht', 'tps://', '[', '](', ')', '(', '()', '<b>', '"', '|---|', '😀', '.'],
  )
  const text = fc.array(fc.oneof({ weight: 4, arbitrary: salt }, anyText({ maxLength: 4 })), {
    maxLength: 40,
  })
  fc.assert(
    fc.property(text, (pieces) => {
      const { excerpts, coverage } = parseExcerpts(`https://example.com/a | words ${pieces.join('')}`, results, today)
      for (const [url, { snippet }] of excerpts) {
        expect([a.url, b.url]).toContain(url)
        expect(snippet ?? '').not.toMatch(/(?:https?:\/\/|ftp:\/\/|www\.)[\p{L}\p{N}]/iu)
        expect((snippet ?? '').length).toBeLessThanOrEqual(500)
      }
      expect(coverage).toBeLessThanOrEqual(excerpts.size)
    }),
    { numRuns: runs(5000) },
  )
})

test('much of anything finishes: quadratic work would not', () => {
  for (const unit of [
    'https://example.com/a | ',
    '|',
    ' ',
    '\n',
    '- ',
    '[',
    '[a](',
    '_',
    '*',
    '(',
    '1. ',
    ' - ',
    '?',
    ')',
  ]) {
    const text = unit.repeat(100_000 / unit.length)
    expect(parseExcerpts(text, results).coverage).toBe(0)
    expect(parseExcerpts(`https://example.com/a | ${text}`, results).excerpts.size).toBeLessThanOrEqual(1)
  }
})
