import { BoundedMap } from '@csp/lib/bounded-map'
import { cleanSnippet, cleanTitle } from '@csp/lib/snippet'
import { cutAtWord } from '@csp/lib/text'
import { hostOf } from '@csp/lib/url'
import type { ContentBlock } from '@csp/messages-api/request'
import { z } from 'zod'
import { SearchError } from '../../domain/error.ts'
import type { SearchFilters, SearchRequest, SearchResult } from '../../domain/search.ts'
import { fullDate } from './dates.ts'
import { siteFilters } from './prompt/site-filters.ts'
import { selectRows } from './select-rows.ts'

/** The search tool that Anthropic's API runs itself: how it is asked for, and what stands in its replies. Whoever reaches the API shares it. */

/** The name by which a model calls it. */
export const nativeToolName = 'web_search'

/** Its versions, the newest first. Not every model and account has each. */
export const nativeTools = ['web_search_20260318', 'web_search_20260209', 'web_search_20250305'] as const
export type NativeTool = (typeof nativeTools)[number]

/**
 * The tool with what a request narrows its search to. `maxUses`: the most searches of one call. `places`: those that the
 * API has refused.
 */
export function nativeTool(
  { filters }: SearchRequest,
  type: NativeTool,
  maxUses: number,
  places?: RefusedPlaces,
): ContentBlock {
  const location = places?.has(filters) ? undefined : locationOf(filters)
  const { includeDomains = [], excludeDomains = [] } = siteFilters(filters)
  // One list at most. The other is applied to the rows.
  const domains =
    includeDomains.length > 0
      ? { allowed_domains: hostsOf(includeDomains) }
      : { ...(excludeDomains.length > 0 && { blocked_domains: hostsOf(excludeDomains) }) }
  return {
    type,
    name: nativeToolName,
    // As the older ones search: results filtered by code that the model writes would be no list, and cost a container.
    ...(type !== 'web_search_20250305' && { allowed_callers: ['direct'] }),
    max_uses: Math.min(maxUses, maxSearchesOfCall),
    ...domains,
    ...(location && { user_location: { type: 'approximate', ...location } }),
  }
}

/** Where the searcher is, if anything is known of it. */
function locationOf({ country, city, region, timezone }: SearchFilters): Readonly<Record<string, string>> | undefined {
  const fields = { city, region, country: country === 'ALL' ? undefined : country, timezone }
  const known = Object.entries(fields).flatMap(([name, value]) => (value ? [[name, value] as const] : []))
  return known.length > 0 ? Object.fromEntries(known) : undefined
}

/**
 * Places that the API refuses in a search: it does not know every country, and no list tells which. The prompt names
 * the place as well, so nothing is lost with the field.
 */
export class RefusedPlaces {
  readonly #keys = new BoundedMap<string, true>(maxRefusedPlaces)

  has(filters: SearchFilters): boolean {
    return this.#keys.has(countryKey(filters)) || this.#keys.has(placeKey(filters))
  }

  /** Whether a search failed because of its place, which is left out from now on. */
  note(filters: SearchFilters, error: unknown): boolean {
    if (!(error instanceof SearchError) || !locationOf(filters)) return false
    const words = typeof error.cause === 'string' ? error.cause : ''
    if (!/user_location|country code/i.test(words)) return false
    this.#keys.set(filters.country && /country/i.test(words) ? countryKey(filters) : placeKey(filters), true)
    return true
  }
}

function countryKey({ country = '' }: SearchFilters): string {
  return `country ${country}`
}

function placeKey(filters: SearchFilters): string {
  return JSON.stringify(locationOf(filters))
}

const maxRefusedPlaces = 200

/** A budget keeps a place for one search of an answer, so what a caller may ask for is no way around it. */
const maxSearchesOfCall = 20

/** Each once: two addresses may be of one site. */
function hostsOf(domains: readonly string[]): readonly string[] {
  return [...new Set(domains.map(hostOf))]
}

/** What the model asked the tool for; `undefined` while it is not written to its end. */
export function nativeQuery(input: unknown): string | undefined {
  return searchInput.safeParse(input).data?.query
}

/** A result of the tool. */
export type NativeHit = z.infer<typeof hit>

/** What one search gave: its hits, or the code of its error. `id`: of the model's call. */
export type NativeFound =
  | { readonly id: string; readonly hits: readonly NativeHit[] }
  | { readonly id: string; readonly code: string }

/** Reads a block with the results of a search; `undefined` if it is none. */
export function nativeFound(block: unknown): NativeFound | undefined {
  const { data } = searchResult.safeParse(block)
  if (!data) return undefined
  const { tool_use_id: id, content } = data
  return Array.isArray(content) ? { id, hits: content.flatMap((hit) => hit ?? []) } : { id, code: content.error_code }
}

/** A page that a text rests on, by the API's own account, and what was cited of it. */
export interface NativeCitation {
  readonly url: string
  /** Untrusted, and short. */
  readonly words: string
}

/** Each page that a text block cites, once, with all that it cites of it. `citations`: of the block, as the API sends them. */
export function nativeCitations(citations: readonly unknown[]): readonly NativeCitation[] {
  const cited = new Map<string, readonly string[]>()
  for (const given of citations.slice(0, maxCitations)) {
    const { data } = citation.safeParse(given)
    if (!data) continue
    const known = cited.get(data.url) ?? []
    const words = cutAtWord((data.cited_text ?? '').slice(0, 2 * maxWordsLength).trim(), maxWordsLength)
    cited.set(data.url, words === '' || known.includes(words) ? known : [...known, words])
  }
  return Array.from(cited, ([url, words]) => ({ url, words: cutAtWord(words.join(' … '), maxWordsLength) }))
}

/** The API cites 150 characters at a time. */
const maxWordsLength = 500
const maxCitations = 100

/** All rows that a search found for an answer: the count and the page of a request are those of a list. */
export function nativeRows(
  hits: readonly NativeHit[],
  request: SearchRequest,
  source: string,
  now: Date,
): readonly SearchResult[] {
  const { limit: _, offset: __, ...rest } = request
  const rows = hits.map((hit) => nativeRow(hit, source, now))
  return selectRows(rows, rest, now)
}

/** The row for a hit. `source`: the backend. `words`: what was cited of it, if anything. */
export function nativeRow({ url, title, pageAge }: NativeHit, source: string, now: Date, words?: string): SearchResult {
  return {
    title: cleanTitle(title, url),
    url,
    snippet: words === undefined ? undefined : cleanSnippet(words),
    publishedAt: dateOf(pageAge ?? '', now),
    source,
  }
}

/** From a date, or from an age in hours or days; an age in weeks is too vague for a day. */
function dateOf(age: string, now: Date): string | undefined {
  const [, amount, unit] = /^(\d{1,3}) (hour|day)s? ago$/i.exec(age.trim()) ?? []
  if (!amount || !unit) return fullDate(age)
  const hours = Number(amount) * (unit.toLowerCase() === 'day' ? 24 : 1)
  return new Date(now.getTime() - hours * 3_600_000).toISOString().slice(0, 10)
}

const searchInput = z.object({ query: z.string() })
const citation = z.object({ url: z.string(), cited_text: z.string().nullish() })

/** `page_age`: `April 30, 2025`, `3 days ago`, … */
const hit = z
  .object({ url: z.string(), title: z.string().catch(''), page_age: z.string().nullish().catch(undefined) })
  .transform(({ url, title, page_age }) => ({ url, title, pageAge: page_age ?? undefined }))

const searchResult = z.object({
  tool_use_id: z.string(),
  content: z.union([z.array(hit.optional().catch(undefined)), z.object({ error_code: z.string() })]),
})
