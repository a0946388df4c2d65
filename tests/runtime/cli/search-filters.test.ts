import { describe, expect, test } from 'bun:test'
import { searchInput } from '../../../src/runtime/cli/search-filters.ts'
import { UsageError } from '../../../src/runtime/config/usage-error.ts'

test('filters of the command line are those of the API', () => {
  const options = {
    freshness: 'week',
    country: 'DE',
    safesearch: 'off',
    includeDomains: 'a.org,b.org',
    category: 'news',
  }
  const input = searchInput(
    'search',
    'seals',
    { ...options, excludeDomains: 'c.org' },
    { count: '5', page: '2', language: 'de' },
  )
  expect(input).toMatchObject({
    ...{
      q: 'seals',
      freshness: { freshness: 'week' },
      country: 'DE',
      language: 'de',
      safesearch: 'off',
      category: 'news',
    },
    ...{ include_domains: ['a.org', 'b.org'], exclude_domains: ['c.org'], count: 5, page: 2 },
  })
})

describe('a filter that is refused', () => {
  const refused = (...given: Parameters<typeof searchInput> extends [string, string, ...infer Rest] ? Rest : never) => {
    try {
      searchInput('ask', 'seals', ...given)
    } catch (error) {
      if (error instanceof UsageError) return error.message
      throw error
    }
    return undefined
  }

  test('is named as a flag, with what it should be and what it was', () => {
    expect(refused({ country: 'XX1' })).toBe('csp ask: --country must be a country code of two letters, not "XX1".')
    expect(refused({}, { count: '21' })).toBe('csp ask: -n must be a number from 1 to 20, not "21".')
    expect(refused({ excludeDomains: 'no host' }, { page: '0' })).toMatch(
      /^csp ask: --page must be a number from 1 to 20, not "0"\. --exclude-domains must be .*, not "no host"\.$|^csp ask: --exclude-domains must be .*, not "no host"\. --page must be a number from 1 to 20, not "0"\.$/,
    )
  })

  test('is shown in one safe line, with 60 characters at most', () => {
    const shown = (country: string) => /not (".*")\.$/.exec(refused({ country }) ?? '')?.[1]
    expect(shown('a\u001b[31mb\nc')).toBe('"ab c"')
    expect(shown('x'.repeat(60))).toBe(`"${'x'.repeat(60)}"`)
    expect(shown('x'.repeat(61))).toBe(`"${'x'.repeat(60)}"`)
  })

  test('is the query itself, in the words of the API', () => {
    expect(() => searchInput('search', 'x'.repeat(4001), {})).toThrow(/^csp search: [^-]*4000[^-]*\.$/)
  })
})
