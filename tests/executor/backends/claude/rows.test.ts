import { describe, expect, test } from 'bun:test'
import type { SearchRequest } from '../../../../src/domain/search.ts'
import { readOutput } from '../../../../src/executor/backends/claude/search-output.ts'
import { requestFor } from '../../../support/fake-executor.ts'

const now = new Date('2026-03-15T12:00:00Z')

function read(hits: readonly (readonly [url: string, line?: string])[], rest: Partial<SearchRequest> = {}) {
  const text = hits.flatMap(([url, line]) => (line === undefined ? [] : [`${url} | ${line}`])).join('\n')
  const titled = hits.map(([url], index) => ({ title: `Page ${index}`, url }))
  return readOutput({ searched: true, hits: titled, text, error: undefined }, requestFor('seals', rest), now)
}

const urls = (...of: Parameters<typeof read>) => read(...of).rows.map(({ url }) => url)

describe('a row of the search tool', () => {
  test('has its title and URL from the tool, and its excerpt and date from the written line', () => {
    expect(read([['https://example.com/a', '2026-03-01 | Seals sleep.']]).rows).toEqual([
      {
        title: 'Page 0',
        url: 'https://example.com/a',
        snippet: 'Seals sleep.',
        publishedAt: '2026-03-01',
        source: 'claude',
      },
    ])
  })

  test('keeps its number where a row before it is no web page', () => {
    const hits = ['javascript:alert(1)', 'https://example.com/a', 'https://example.com/b'].map((url) => ({
      title: 'x',
      url,
    }))
    const text = '2 example.com | ? | Of a.\n3 example.com | ? | Of b.'
    const { rows } = readOutput({ searched: true, hits, text, error: undefined }, requestFor('seals'), now)
    expect(rows.map(({ url, snippet }) => [url, snippet])).toEqual([
      ['https://example.com/a', 'Of a.'],
      ['https://example.com/b', 'Of b.'],
    ])
  })

  test('is kept without a written line, and prose becomes notes', () => {
    const hits = [{ title: '  ', url: 'https://example.com/a' }]
    const found = readOutput({ searched: true, hits, text: 'Just prose.', error: undefined }, requestFor('seals'), now)
    expect(found.rows).toEqual([
      {
        title: 'example.com',
        url: 'https://example.com/a',
        snippet: undefined,
        publishedAt: undefined,
        source: 'claude',
      },
    ])
    expect(found.notes).toBe('Just prose.')
  })

  test('has its title in plain text', () => {
    const hits = [{ title: 'Seals &amp;\n  terns &#39;26 ', url: 'https://example.com/a' }]
    const { rows } = readOutput({ searched: true, hits, text: '', error: undefined }, requestFor('seals'), now)
    expect(rows[0]?.title).toBe("Seals & terns '26")
  })

  test('is one for a page that was found with and without tracking parameters', () => {
    const found = ['https://example.com/a', 'https://www.example.com/a/?utm_source=x', 'https://example.com/a?id=1']
    expect(urls(found.map((url) => [url]))).toEqual(['https://example.com/a', 'https://example.com/a?id=1'])
  })

  test('is dropped when no client can open it, or when it repeats a page', () => {
    const strange = [
      'ftp://example.com/',
      'javascript:alert(1)',
      'file:///etc/passwd',
      'no url',
      '',
      `https://example.com/${'x'.repeat(2048)}`,
    ]
    expect(
      urls(
        [...strange, 'https://example.com/a', 'http://example.com/b', 'https://example.com/a'].map(
          (url) => [url] as const,
        ),
      ),
    ).toEqual(['https://example.com/a', 'http://example.com/b'])
  })
})

describe('filters apply to the rows too', () => {
  const hosts = [
    'https://example.com/1',
    'https://docs.example.com/2',
    'https://example.org/3',
    'https://notexample.com/4',
  ]
  const hits = hosts.map((url) => [url] as const)

  test.each([
    [{ includeDomains: ['example.com'] }, [0, 1]],
    [{ includeDomains: ['*.Example.com', 'https://www.example.org/path'] }, [0, 1, 2]],
    [{ excludeDomains: ['example.com'] }, [2, 3]],
    [{ includeDomains: ['example.com'], excludeDomains: ['docs.example.com'] }, [0]],
    [{ includeDomains: [], excludeDomains: [] }, [0, 1, 2, 3]],
  ])('as with %j', (filters, kept) => {
    expect(urls(hits, { filters })).toEqual(kept.map((index) => hosts[index] ?? ''))
  })

  const days = ['2026-03-15', '2026-03-14', '2026-03-08', '2026-02-12', '2025-03-15', '2020-01-01', '?']
  const dated = days.map((day) => [`https://example.com/${day}`, `${day} | An excerpt of it.`] as const)

  test.each([
    [{ freshness: 'hour' }, ['2026-03-15', '?']],
    [{ freshness: 'day' }, ['2026-03-15', '2026-03-14', '?']],
    [{ freshness: 'week' }, ['2026-03-15', '2026-03-14', '2026-03-08', '?']],
    [{ freshness: 'month' }, ['2026-03-15', '2026-03-14', '2026-03-08', '2026-02-12', '?']],
    [{ freshness: 'year' }, ['2026-03-15', '2026-03-14', '2026-03-08', '2026-02-12', '2025-03-15', '?']],
    [{ publishedAfter: '2026-03-14' }, ['2026-03-15', '2026-03-14', '?']],
    [{ publishedBefore: '2025-03-15' }, ['2025-03-15', '2020-01-01', '?']],
    [{ publishedAfter: '2025-01-01', publishedBefore: '2026-02-28' }, ['2026-02-12', '2025-03-15', '?']],
  ] as const)('as with %j, and a page of unknown age is kept', (filters, kept) => {
    expect(urls(dated, { filters })).toEqual(kept.map((day) => `https://example.com/${day}`))
  })
})

test('and the past hour reaches back over midnight', () => {
  const text = 'https://example.com/a | 2026-03-14 | Seals sleep.'
  const output = { searched: true, hits: [{ title: 'Seals', url: 'https://example.com/a' }], text, error: undefined }
  const rowsAt = (time: string) =>
    readOutput(output, requestFor('seals', { filters: { freshness: 'hour' } }), new Date(`2026-03-15T${time}Z`)).rows
  expect(rowsAt('00:30:00')).toHaveLength(1)
  expect(rowsAt('01:30:00')).toHaveLength(0)
})

describe('a part of the rows', () => {
  const hits = Array.from({ length: 8 }, (_, index) => [`https://example.com/${index}`] as const)

  test.each([
    [{ limit: 3 }, [0, 1, 2]],
    [{ offset: 6 }, [6, 7]],
    [{ limit: 2, offset: 3 }, [3, 4]],
    [{ limit: 20, offset: 8 }, []],
  ])('is returned for %j', (rest, kept) => {
    expect(urls(hits, rest)).toEqual(kept.map((index) => `https://example.com/${index}`))
  })

  test('is counted after the filters and without the known pages', () => {
    const exclude = ['https://example.com/0', 'http://www.example.com/1/', 'https://example.com/2#top']
    expect(urls(hits, { exclude, limit: 2 })).toEqual(['https://example.com/3', 'https://example.com/4'])
  })
})
