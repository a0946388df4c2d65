import { describe, expect, test } from 'bun:test'
import { runs } from '@csp/testing/runs'
import fc from 'fast-check'
import { parseExcerpts } from '../../../src/executor/answer/excerpts.ts'

const rows = [
  { url: 'https://docs.example.com/seals?page=1', title: 'Seals' },
  { url: 'https://www.example.org/ice/', title: 'Ice' },
  { url: 'https://docs.example.com/bees', title: 'Bees' },
  { url: 'https://xn--mnchen-3ya.example:8443/', title: 'München' },
  { url: 'https://www.example.org/ice', title: 'Ice again' },
]
const today = new Date('2026-11-20T10:00:00Z')

function snippets(text: string) {
  const { excerpts } = parseExcerpts(text, rows, today)
  return rows.map(({ url }) => excerpts.get(url)?.snippet)
}

test('a line with the number and the host of a row is about that row, in any order, with its date', () => {
  const text = '3 docs.example.com | 2026-10-07 | Bees hum.\n1 docs.example.com | ? | Seals dive.'
  const { excerpts, coverage, rest } = parseExcerpts(`Found:\n${text}\n\nBoth are animals.`, rows, today)
  expect([...excerpts]).toEqual([
    ['https://docs.example.com/bees', { snippet: 'Bees hum.', publishedAt: '2026-10-07' }],
    ['https://docs.example.com/seals?page=1', { snippet: 'Seals dive.', publishedAt: undefined }],
  ])
  expect({ coverage, rest }).toEqual({ coverage: 2, rest: 'Found:\n\nBoth are animals.' })
})

describe('a number and a host are read', () => {
  test.each([
    '2 www.example.org | 2026-10-07 | Ice melts.',
    '2 example.org | 2026-10-07 | Ice melts.',
    '2. Example.ORG | 2026-10-07 | Ice melts.',
    '2) example.org | 2026-10-07 | Ice melts.',
    '[2] example.org | 2026-10-07 | Ice melts.',
    '#2 example.org | 2026-10-07 | Ice melts.',
    '- 2 example.org | 2026-10-07 | Ice melts.',
    '**2 example.org** | 2026-10-07 | Ice melts.',
    '`2 example.org` | 2026-10-07 | Ice melts.',
    '| 2 | example.org | 2026-10-07 | Ice melts. |',
    '2 | example.org | 2026-10-07 | Ice melts.',
    'Result 2: example.org | 2026-10-07 | Ice melts.',
    '2 example.org\t2026-10-07\tIce melts.',
    '2 example.org - 2026-10-07 - Ice melts.',
    '2 example.org: 2026-10-07 - Ice melts.',
    '2 https://www.example.org/ice | 2026-10-07 | Ice melts.',
    '2 https://www.example.org/somewhere/else | 2026-10-07 | Ice melts.',
    '2 example.org |\n   2026-10-07 | Ice melts.',
    '2 example|20261007|Ice melts.',
    '2 Example | 20261007 | Ice melts.',
    '2. **example** | 2026-10-07 | Ice melts.',
    '| 2 | example | 2026-10-07 | Ice melts. |',
  ])('in %j', (line) => {
    const { excerpts, rest } = parseExcerpts(line, rows, today)
    expect([...excerpts.values()]).toEqual([{ snippet: 'Ice melts.', publishedAt: '2026-10-07' }])
    expect([[...excerpts.keys()][0], rest]).toEqual([rows[1]?.url, ''])
  })

  test('of a name with letters of its own, and a port', () => {
    for (const host of ['münchen.example', 'xn--mnchen-3ya.example', 'MÜNCHEN.example:8443', 'München']) {
      expect(snippets(`4 ${host} | ? | Beer.`)[3]).toBe('Beer.')
    }
  })

  test('of a page that stands twice, for its first row', () => {
    expect(snippets('5 www.example.org | ? | Ice melts.')).toEqual([
      undefined,
      'Ice melts.',
      undefined,
      undefined,
      undefined,
    ])
  })
})

describe('nothing is said about a page by', () => {
  test.each([
    '1 example.org | 2026-10-07 | The host of another row.',
    '2 docs.example.com | 2026-10-07 | The host of another row.',
    '1 evil.example | 2026-10-07 | No host of any row.',
    '1 com | 2026-10-07 | A part of a host.',
    '1 example.com | 2026-10-07 | A domain above it.',
    '1 docs | 20261007 | The name of a part of a site.',
    '1 com|20261007|A name that any site has.',
    '1 other|20261007|The name of another site.',
    '1 www|?|No name.',
    '9 example|20261007|Beyond the last.',
    '1 a.docs.example.com | 2026-10-07 | A domain below it.',
    '1 docs.example.com.evil.example | 2026-10-07 | A host that begins alike.',
    '1 docs.example.com@evil.example | 2026-10-07 | A user name.',
    '0 docs.example.com | 2026-10-07 | Below the first.',
    '6 docs.example.com | 2026-10-07 | Beyond the last.',
    '-1 example.net | 2026-10-07 | A negative number.',
    '999 docs.example.com | 2026-10-07 | Far beyond the last.',
    '1234 docs.example.com | 2026-10-07 | No place.',
    '1 999.999.999.999 | 2026-10-07 | No host.',
    '1 __proto__.constructor | 2026-10-07 | A name of JavaScript.',
  ])('%j', (line) => {
    const { excerpts, coverage } = parseExcerpts(line, rows, today)
    expect([excerpts.size, coverage]).toEqual([0, 0])
  })
})

test('a sentence that begins with a number and something like a host is prose', () => {
  const text = '3 node.js versions are supported.\n2 example.org pages agree.'
  expect(parseExcerpts(text, rows, today)).toEqual({ excerpts: new Map(), coverage: 0, rest: text })
})

test('the requested format itself, when the model repeats it, is neither row nor prose', () => {
  const text = 'NUMBER SITE|YYYYMMDD|excerpt\n1 docs.example.com | ? | Seals dive.'
  expect(parseExcerpts(text, rows, today).rest).toBe('')
  expect(snippets(text)[0]).toBe('Seals dive.')
})

test('the name of a site is that below its country, and an address is its own', () => {
  const urls = ['https://news.bbc.co.uk/a', 'https://seals.gov/b', 'http://127.0.0.7:8080/c', 'https://example.or.jp/d']
  const text = '1 bbc|?|One.\n2 seals|?|Two.\n3 127.0.0.7|?|Three.\n4 example|?|Four.'
  const { excerpts } = parseExcerpts(
    text,
    urls.map((url) => ({ url, title: '' })),
    today,
  )
  expect(urls.map((url) => excerpts.get(url)?.snippet)).toEqual(['One.', 'Two.', 'Three.', 'Four.'])
})

test('a table whose rows are numbered is prose', () => {
  const text = '| 1 | Seals | 5 |\n| 2 | Bees | 6 |'
  expect(parseExcerpts(text, rows, today)).toEqual({ excerpts: new Map(), coverage: 0, rest: text })
})

test('lines by number and lines by URL may stand side by side', () => {
  const text = `1 docs.example.com | ? | Seals dive.\n${rows[1]?.url} | ? | Ice melts.`
  expect(snippets(text).slice(0, 2)).toEqual(['Seals dive.', 'Ice melts.'])
})

test('whatever the model writes, an excerpt belongs to the row whose number and host, or URL, its line names', () => {
  const host = fc.constantFrom(
    'docs.example.com',
    'example.org',
    'www.example.org',
    'evil.example',
    'com',
    'example',
    '',
  )
  const mark = fc.constantFrom('', '- ', '**', '[', '#', '> ', '| ')
  const glue = fc.constantFrom(' ', '. ', ') ', '] ', ' | ', ': ', '')
  const bar = fc.constantFrom(' | ', '\t', ' - ', ': ', ' ')
  const line = fc.tuple(mark, fc.integer({ min: 0, max: 7 }), glue, host, bar, fc.string({ maxLength: 12 }))
  fc.assert(
    fc.property(fc.array(line, { maxLength: 6 }), (lines) => {
      const text = lines.map((parts) => parts.join('')).join('\n')
      const { excerpts } = parseExcerpts(text, rows, today)
      for (const url of excerpts.keys()) {
        const name = new URL(url).hostname.replace('www.', '')
        const numbers = url === rows[1]?.url ? [2, 5] : [rows.findIndex((row) => row.url === url) + 1]
        expect(
          lines.some(
            ([, number, , asked]) => (asked.endsWith(name) || asked === 'example') && numbers.includes(number),
          ),
        ).toBe(true)
      }
    }),
    { numRuns: runs(2000) },
  )
})

test('much of anything finishes: quadratic work would not', () => {
  for (const unit of [
    '1 docs.example.com | ',
    '1 ',
    '1. ',
    'a.',
    '1 a.',
    '[1] ',
    '#',
    '- 1',
    '1 a-',
    'no ',
    '1 a/',
    '1 a|',
    '1|',
  ]) {
    for (const text of [unit.repeat(300_000 / unit.length), `1 ${unit.repeat(300_000 / unit.length)}`]) {
      expect(parseExcerpts(text, rows).excerpts.size).toBeLessThanOrEqual(1)
    }
  }
})
