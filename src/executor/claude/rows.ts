import { decodeHTML } from 'entities'
import { normaliseUrl } from '../../domain/normalise-url.ts'
import type { SearchFilters, SearchRequest, SearchResult } from '../../domain/search.ts'
import { isWebAddress } from '../../domain/web-address.ts'
import { parseExcerpts } from './excerpts.ts'
import { oldestDay } from './filter-hints.ts'
import type { ToolOutput } from './tool-output.ts'

/** What a search brought, as csp passes it on. */
export interface Found {
  /** The rows that the request asks for, each with the excerpt and date that the search call wrote of it. */
  readonly rows: readonly SearchResult[]
  /** What the search call wrote besides. */
  readonly notes: string
}

/** Reads the output of the search tool: titles and URLs from its hits, excerpts and dates from its text. */
export function readOutput(output: ToolOutput, request: SearchRequest, now: Date): Found {
  const hits = output.hits.filter(({ url }) => isWebAddress(url))
  const { excerpts, rest } = parseExcerpts(output.text, hits, now)
  const rows = new Map<string, SearchResult>()
  const known = new Set(request.exclude?.map(keyOf))
  for (const { title, url } of hits) {
    const key = keyOf(url)
    if (rows.has(key) || known.has(key)) continue
    const { snippet, publishedAt } = excerpts.get(url) ?? {}
    const row = { title: clean(title) || new URL(url).hostname, url, snippet, publishedAt, source: 'claude' }
    if (isWanted(row, request.filters, now)) rows.set(key, row)
  }
  const { offset = 0, limit } = request
  return { rows: [...rows.values()].slice(offset, limit === undefined ? undefined : offset + limit), notes: rest }
}

/** Equal for two addresses of one page, such as with and without tracking parameters. */
const keyOf = (url: string) => normaliseUrl(url) ?? url

/** The tool passes titles on as they stand in the page: with entities, and with line breaks. */
function clean(title: string): string {
  return decodeHTML(title).replace(/\s+/g, ' ').trim()
}

/** A row whose date is not known stays: the search itself was told the dates. */
function isWanted({ url, publishedAt }: SearchResult, filters: SearchFilters, now: Date): boolean {
  const { includeDomains = [], excludeDomains = [], freshness, publishedAfter, publishedBefore } = filters
  const host = new URL(url).hostname
  if (includeDomains.length > 0 && !includeDomains.some((domain) => isWithin(host, domain))) return false
  if (excludeDomains.some((domain) => isWithin(host, domain))) return false
  if (publishedAt === undefined) return true
  if (freshness && publishedAt < oldestDay(freshness, now)) return false
  if (publishedAfter && publishedAt < publishedAfter) return false
  return !(publishedBefore && publishedAt > publishedBefore)
}

/** Whether a host is the domain or lies below it. A path behind the domain is not looked at. */
function isWithin(host: string, domain: string): boolean {
  const bare = domain
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/^(\*\.|www\.)/, '')
    .replace(/\/.*$/, '')
  return host === bare || host.endsWith(`.${bare}`)
}
