import { hostOf, isWebAddress, pageKey } from '@csp/lib/url'
import type { SearchFilters, SearchRequest, SearchResult } from '../../domain/search.ts'
import { oldestDay } from './prompt/filter-hints.ts'

/** Selects the rows that a request asks for: each page once, filters applied, then `offset` and `limit`. */
export function selectRows(
  found: readonly SearchResult[],
  { filters, exclude, offset = 0, limit }: SearchRequest,
  now: Date,
): readonly SearchResult[] {
  const known = new Set(exclude?.map(pageKey))
  const rows = new Map<string, SearchResult>()
  for (const row of found) {
    const key = pageKey(row.url)
    if (rows.has(key) || known.has(key) || !isWebAddress(row.url)) continue
    if (isWanted(row, filters, now)) rows.set(key, row)
  }
  return [...rows.values()].slice(offset, limit === undefined ? undefined : offset + limit)
}

function isWanted({ url, publishedAt }: SearchResult, filters: SearchFilters, now: Date): boolean {
  const { includeDomains = [], excludeDomains = [] } = filters
  const host = new URL(url).hostname
  if (includeDomains.length > 0 && !includeDomains.some((domain) => isWithin(host, domain))) return false
  if (excludeDomains.some((domain) => isWithin(host, domain))) return false
  return isInPeriod(publishedAt, filters, now)
}

/** Whether a date is within what the filters ask for. A row without a date stays: the search itself was given the dates. */
export function isInPeriod(publishedAt: string | undefined, filters: SearchFilters, now: Date): boolean {
  const { freshness, publishedAfter, publishedBefore } = filters
  if (publishedAt === undefined) return true
  if (freshness && publishedAt < oldestDay(freshness, now)) return false
  if (publishedAfter && publishedAt < publishedAfter) return false
  return !(publishedBefore && publishedAt > publishedBefore)
}

/** Whether a host is the domain or one of its subdomains. A dot at its end makes no other host of it. */
export function isWithin(host: string, domain: string): boolean {
  const bare = hostOf(domain)
  const own = host.replace(/\.$/, '')
  return own === bare || own.endsWith(`.${bare}`)
}
