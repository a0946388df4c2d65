import { hostOf } from '@csp/lib/url'
import type { SearchFilters } from '../../../domain/search.ts'

/**
 * A query with the domain filters as the operators that search engines share, as many as fit: rows of other domains are
 * filtered out afterwards anyway.
 */
export function withDomains(query: string, { includeDomains = [], excludeDomains = [] }: SearchFilters): string {
  const included = includeDomains.slice(0, maxDomains).map((domain) => `site:${hostOf(domain)}`)
  const excluded = excludeDomains.slice(0, maxDomains).map((domain) => `-site:${hostOf(domain)}`)
  const only = included.length > 1 ? `(${included.join(' OR ')})` : included.join('')
  return [query, only, ...excluded].filter(Boolean).join(' ')
}

const maxDomains = 10
