import { expect, test } from 'bun:test'
import { runs } from '@csp/testing/runs'
import fc from 'fast-check'
import { formatOf, formatSources } from '../../../src/runtime/cli/source-formats.ts'

test('no cell of the lines of columns begins as a formula, or with a quotation mark', () => {
  const begins = fc.constantFrom('"', '"=', ' "', '"""=', '=', '+', '-', '@', ' =', '\t+', '＝', '－', '＠', '＋')
  const text = fc.tuple(begins, fc.string()).map((parts) => parts.join(''))
  fc.assert(
    fc.property(text, text, (title, snippet) => {
      const [line] = formatSources([{ number: 1, url: 'https://a.example/', title, snippet }], 'tsv').split('\n')
      const cells = line?.split('\t') ?? []
      expect(cells.length).toBe(4)
      for (const cell of cells) expect(cell).not.toMatch(/^\s*["=+@＝＋－＠-]/)
    }),
    { numRuns: runs(200) },
  )
  const plain = { number: 1, url: 'https://a.example/', title: 'a = b', snippet: 'Five - or six' }
  expect(formatSources([plain], 'tsv')).toBe('https://a.example/\ta = b\t\tFive - or six\n')
})

test('--json wins over -f, and without both it is text', () => {
  expect(formatOf({ format: undefined, json: false })).toBe('text')
  expect(formatOf({ format: undefined, json: true })).toBe('json')
  for (const format of ['text', 'md', 'tsv', 'urls', 'json'] as const) {
    expect(formatOf({ format, json: true })).toBe('json')
    expect(formatOf({ format, json: false })).toBe(format)
  }
})

test('a page has its date and its words in each format, in one line that shows nothing else', () => {
  const bare = { number: 1, url: 'https://a.example/(b)<c>', title: 'A [b]' }
  const dated = { ...bare, number: 2, publishedAt: '2026-01-02', snippet: 'Some\n*words*' }
  expect(formatSources([bare, dated], 'md')).toBe(
    [
      '1. [A \\[b\\]](https://a.example/%28b%29%3Cc%3E)',
      '2. [A \\[b\\]](https://a.example/%28b%29%3Cc%3E)',
      '   2026-01-02: Some \\*words\\*\n',
    ].join('\n'),
  )
  expect(formatSources([{ ...bare, snippet: 'Words' }], 'md')).toEndWith('\n   Words\n')
  expect(formatSources([bare, dated], 'tsv')).toBe(
    `${bare.url}\tA [b]\t\t\n${bare.url}\tA [b]\t2026-01-02\tSome *words*\n`,
  )
  expect(formatSources([{ ...bare, url: 'https://a.example/\u001b[31m' }], 'urls')).toBe('https://a.example/\n')
  expect(formatSources([], 'md')).toBe('')
})
