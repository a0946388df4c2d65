import { expect, test } from 'bun:test'
import { excludeHints, filterHints, oldestDay } from '../../../../src/executor/answer/prompt/filter-hints.ts'
import { isSuffix, siteFilters, suffixHints } from '../../../../src/executor/answer/prompt/site-filters.ts'

test('of many known pages the twenty latest are named, but none whose address is very long', () => {
  const exclude = Array.from({ length: 30 }, (_, index) =>
    `https://a.example/${index}`.padEnd(index === 29 ? 300 : 0, 'x'),
  )
  const [hint = ''] = excludeHints([...exclude, `https://a.example/`.padEnd(301, 'x')])
  expect([...hint.matchAll(/https:\S+/g)].map(String)).toEqual(exclude.slice(10))
})

test('without known pages nothing is said of them', () => {
  expect([...excludeHints(), ...excludeHints([])]).toEqual([])
})

test.each([
  ['de', true],
  ['co.uk', true],
  ['gov', true],
  ['xn--p1ai', true],
  ['example.de', false],
  ['bbc.co.uk', false],
  ['x.ai', false],
])('%s is the end of many domains: %p', (domain, expected) => {
  expect(isSuffix(domain)).toBe(expected)
})

test('each level of safe search asks for something else, and none without it', () => {
  const [off, moderate, strict] = (['off', 'moderate', 'strict'] as const).map((safeSearch) =>
    filterHints({ safeSearch }, new Date()).join('\n'),
  )
  expect(off).toBe('')
  expect(moderate).not.toBe('')
  expect(strict).not.toBe('')
  expect(strict).not.toBe(moderate)
})

const now = new Date('2026-03-01T12:00:00Z')

test('each filter that the search tool lacks is said in a line, and nothing without filters', () => {
  expect(filterHints({}, now)).toEqual([])
  const lines = filterHints(
    {
      ...{ category: 'news', freshness: 'week', publishedAfter: '2026-01-02', publishedBefore: '2026-01-03' },
      ...{ country: 'DE', language: 'pt-br' },
    },
    now,
  )
  expect(lines).toEqual([
    'Only news articles, of newspapers, agencies and broadcasters.',
    'Only pages published in the past week, since 2026-02-22.',
    'Only pages published on or after 2026-01-02.',
    'Only pages published on or before 2026-01-03.',
    'Prefer pages that matter to readers in DE (ISO country code).',
    'Prefer pages in the language pt-br (ISO code).',
  ])
  expect(filterHints({ country: 'ALL' }, now)).toEqual([])
  expect(filterHints({ city: 'Ulm', region: 'Baden-Württemberg', timezone: 'Europe/Berlin' }, now)).toEqual([
    'Prefer pages that matter to readers near Ulm, Baden-Württemberg.',
  ])
  expect(filterHints({ region: 'Tyrol' }, now)).toEqual(['Prefer pages that matter to readers near Tyrol.'])
})

test.each([
  ['hour', '2026-03-01'],
  ['day', '2026-02-28'],
  ['week', '2026-02-22'],
  ['month', '2026-01-29'],
  ['year', '2025-03-01'],
] as const)('the past %s begins on %s', (freshness, day) => expect(oldestDay(freshness, now)).toBe(day))

test('sites are a list for the tool, and the ends of many sites are words', () => {
  expect(siteFilters({})).toEqual({ includeDomains: undefined, excludeDomains: undefined })
  expect(suffixHints({})).toEqual([])
  const sites = { includeDomains: ['a.com'], excludeDomains: ['b.com'] }
  expect(siteFilters(sites)).toEqual(sites)
  expect(suffixHints(sites)).toEqual([])
  const mixed = { includeDomains: ['a.com', 'co.uk'], excludeDomains: ['b.com', 'gov'] }
  expect(siteFilters(mixed)).toEqual({ includeDomains: undefined, excludeDomains: ['b.com'] })
  const [only, none, ...others] = suffixHints(mixed)
  expect(only).toEndWith('site:a.com OR site:.co.uk')
  expect(none).toEndWith('site:.gov')
  expect(others).toEqual([])
  expect(siteFilters({ excludeDomains: ['gov'] }).excludeDomains).toBeUndefined()
})

test('of many sites ten are named', () => {
  const many = Array.from({ length: 30 }, (_, at) => `xn--${at}a`)
  for (const hint of suffixHints({ includeDomains: many, excludeDomains: many }))
    expect(hint.match(/site:/g)).toHaveLength(10)
})
