import { hostOf } from '@csp/lib/url'
import type { SearchFilters } from '../../../domain/search.ts'

/**
 * The domain filters for search tools that take sites alone. Where a wanted domain is the end of many sites (`de`,
 * `co.uk`), no list is given: the words of the query say it, and rows of other sites are dropped.
 */
export function siteFilters({
  includeDomains = [],
  excludeDomains = [],
}: SearchFilters): Pick<SearchFilters, 'includeDomains' | 'excludeDomains'> {
  const excluded = excludeDomains.filter((domain) => !isSuffix(domain))
  return {
    includeDomains: includeDomains.length > 0 && !includeDomains.some(isSuffix) ? includeDomains : undefined,
    excludeDomains: excluded.length > 0 ? excluded : undefined,
  }
}

/** What `siteFilters` leaves out, in words, a line each. */
export function suffixHints({ includeDomains = [], excludeDomains = [] }: SearchFilters): readonly string[] {
  const operator = (domain: string) => `site:${isSuffix(domain) ? '.' : ''}${hostOf(domain)}`
  const excluded = excludeDomains.filter(isSuffix).slice(0, maxNamed)
  return [
    ...(includeDomains.some(isSuffix)
      ? [`Only pages of these sites: ${includeDomains.slice(0, maxNamed).map(operator).join(' OR ')}`]
      : []),
    ...(excluded.length > 0 ? [`No pages of these sites: ${excluded.map(operator).join(', ')}`] : []),
  ]
}

/** Whether a domain is no site, but the end of the names of many. */
export function isSuffix(domain: string): boolean {
  return suffix.test(hostOf(domain))
}

const suffix = /^(?:(?:ac|co|com|edu|go|gob|gouv|gov|govt|mil|ne|net|nom|or|org|sch)\.)?[a-z]{2}$|^[a-z0-9-]{3,63}$/

const maxNamed = 10
