import { describe, expect, test } from 'bun:test'
import { pageKey } from '@csp/lib/url'
import { anyText } from '@csp/testing/any-text'
import { runs } from '@csp/testing/runs'
import fc from 'fast-check'
import type { SearchResult } from '../../../src/domain/search.ts'
import { anyDeviceKey, mergedRows } from '../../../src/executor/answer/merged-rows.ts'
import { hostileTexts } from '../../support/hostile-texts.ts'

const row = (url: string, rest: Partial<SearchResult> = {}): SearchResult => ({ title: url, url, source: 'a', ...rest })

/** Few pages in many spellings, so that lists share some. */
const address = fc
  .tuple(
    fc.constantFrom('https://', 'http://www.', 'https://m.', 'https://en.m.', 'https://amp.'),
    fc.integer({ min: 0, max: 9 }),
    fc.constantFrom('', '/', '/amp', '?utm_source=x', '?amp=1', '?page=2', '/a.amp.html'),
  )
  .map(([start, number, end]) => `${start}site${number}.example${end}`)
const text = fc.oneof({ weight: 9, arbitrary: address }, anyText(), fc.webUrl())
const rows = fc.array(
  fc.record({ url: text, title: fc.string(), snippet: fc.option(fc.string(), { nil: undefined }) }),
  {
    maxLength: 15,
  },
)
const lists = fc
  .array(rows, { maxLength: 4 })
  .map((all) => all.map((found, place) => found.map((one) => ({ ...one, source: `b${place}`, score: place }))))

describe('merged rows', () => {
  test('are each page once, in the order of the sums of their reciprocal ranks, and no row is invented', () => {
    fc.assert(
      fc.property(lists, (given) => {
        fc.pre(given.filter((found) => found.length > 0).length > 1)
        const merged = mergedRows(given)
        const keys = merged.map(({ url }) => anyDeviceKey(url))
        const sums = new Map<string, number>()
        const sources = new Map<string, string[]>()
        for (const found of given) {
          const order = [...new Set(found.map(({ url }) => anyDeviceKey(url)))]
          for (const [place, key] of order.entries()) {
            sums.set(key, (sums.get(key) ?? 0) + 1 / (61 + place))
            sources.set(key, [...(sources.get(key) ?? []), found[0]?.source ?? ''])
          }
        }
        expect(new Set(keys)).toEqual(new Set(sums.keys()))
        expect(keys).toHaveLength(sums.size)
        const ordered = keys.map((key) => sums.get(key) ?? 0)
        expect(ordered).toEqual(ordered.toSorted((a, b) => b - a))
        // Of two rows of one list for a page, the first counts.
        const known = given.flatMap((found) => [
          ...new Map(found.toReversed().map((one) => [anyDeviceKey(one.url), one])).values(),
        ])
        for (const [place, one] of merged.entries()) {
          expect(one.source).toBe(sources.get(keys[place] ?? '')?.join(', ') ?? '')
          const same = known.filter(({ url }) => anyDeviceKey(url) === keys[place])
          expect(same.map(({ url }) => url)).toContain(one.url)
          expect(same.map(({ title }) => title)).toContain(one.title)
          if (one.snippet) expect(same.map(({ snippet }) => snippet)).toContain(one.snippet)
          expect(Boolean(one.snippet)).toBe(same.some(({ snippet }) => snippet))
        }
      }),
      { numRuns: runs(300) },
    )
  })

  test('of a single list are that list', () => {
    fc.assert(
      fc.property(rows, fc.nat(2), (found, place) => {
        const only = found.map((one) => ({ ...one, source: 'a', score: 0.4 }))
        expect(mergedRows(Array.from({ length: 3 }, (_, index) => (index === place ? only : [])))).toEqual(only)
      }),
      { numRuns: runs(100) },
    )
  })

  test('that several lists have come first, and equal ranks in the order of the lists', () => {
    const urls = (...names: readonly string[]) => names.map((name) => row(`https://${name}.example/`))
    const merged = mergedRows([urls('a', 'b', 'c'), urls('d', 'c', 'e')])
    expect(merged.map(({ title }) => title.slice(8, 9)).join('')).toBe('cadbe')
  })

  test('weigh two places far down a little more than one first place, and less yet further down', () => {
    const urls = (name: string, count: number, last: string) =>
      [...Array.from({ length: count }, (_, place) => `${name}${place}`), last].map((one) =>
        row(`https://${one}.example/`),
      )
    const placeOf = (count: number) =>
      mergedRows([urls('a', count, 'shared'), urls('b', count, 'shared')]).findIndex(({ url }) =>
        url.includes('shared'),
      )
    // 2 / (60 + 61) is more than 1 / 61, and 2 / (60 + 63) less.
    expect([placeOf(60), placeOf(62)]).toEqual([0, 2])
  })

  test('have what either list says, and the address for all devices', () => {
    const phone = row('https://en.m.wiki.example/Seals', { title: 'Seals', score: 9, publishedAt: '2026-01-01' })
    const plain = row('https://en.wiki.example/Seals?utm_source=b', { source: 'b', snippet: 'Grey.', passages: ['x'] })
    const other = row('https://other.example/', { source: 'b' })
    expect(mergedRows([[phone], [other, plain]])[0]).toEqual({
      title: 'Seals',
      url: plain.url,
      snippet: 'Grey.',
      passages: ['x'],
      publishedAt: '2026-01-01',
      source: 'a, b',
    })
  })

  test('of many hostile addresses take no time that grows faster than they do', () => {
    const hostile = Object.values(hostileTexts('/home/a')).flatMap((one) => [
      one,
      `https://${one}`,
      `https://a.example/${one}`,
    ])
    const many = Array.from({ length: 10_000 }, (_, index) => row(`https://m.site${index % 7000}.example/amp/${index}`))
    const long = ['m.', '/amp', 'amp&', '.amp'].map((part) => row(`https://a.example/${part.repeat(20_000)}`))
    const merged = mergedRows([many, many.toReversed(), [...hostile.map((url) => row(url)), ...long]])
    expect(merged.length).toBeGreaterThan(10_000)
  })
})

describe('the key of a page for any device', () => {
  test.each([
    ['https://m.example.org/a', 'example.org/a'],
    ['https://en.m.wikipedia.org/wiki/Seal', 'en.wikipedia.org/wiki/Seal'],
    ['https://mobile.example.org/a?utm_medium=x', 'example.org/a'],
    ['https://amp.example.org/a?amp=1&b=2', 'example.org/a?b=2'],
    ['https://example.org/a?amp=true&amp', 'example.org/a'],
    ['https://example.org/a?amp=2', 'example.org/a?amp=2'],
    ['https://example.org/a/amp/', 'example.org/a'],
    ['https://example.org/amp/a', 'example.org/a'],
    ['https://example.org/a.amp.html', 'example.org/a'],
    ['https://example.org/a?outputType=amp', 'example.org/a'],
    ['https://m.com/a', 'm.com/a'],
    ['https://amp.dev/', 'amp.dev'],
    ['https://example.org/amp', 'example.org/amp'],
    ['https://example.org/camp', 'example.org/camp'],
    ['https://swim.example.org/', 'swim.example.org'],
    ['no address', 'no address'],
  ])('of %s is %s', (url, key) => {
    expect(anyDeviceKey(url)).toBe(key)
  })

  test('is the key of the page for an address without such parts', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true }), (url) => {
        fc.pre(!/\b(?:m|mobile|amp)\b/i.test(url))
        expect(anyDeviceKey(url)).toBe(pageKey(url))
      }),
      { numRuns: runs(100) },
    )
  })
})
