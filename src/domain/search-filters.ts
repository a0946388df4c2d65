/**
 * Filters of a search. A backend ignores those it does not know; results are filtered again afterwards.
 * @example const filters: SearchFilters = { freshness: 'week', includeDomains: ['bun.sh'], language: 'en' }
 */
export interface SearchFilters {
  /** Host names; each includes its subdomains. */
  readonly includeDomains?: readonly string[] | undefined
  readonly excludeDomains?: readonly string[] | undefined
  /** The maximum age of a page. */
  readonly freshness?: Freshness | undefined
  /** `YYYY-MM-DD`, inclusive. */
  readonly publishedAfter?: string | undefined
  /** `YYYY-MM-DD`, inclusive. */
  readonly publishedBefore?: string | undefined
  /** ISO 3166-1 alpha-2, upper case. */
  readonly country?: string | undefined
  /** ISO 639-1, or with a region or script: `en`, `pt-br`, `zh-hans`. */
  readonly language?: string | undefined
  readonly safeSearch?: 'off' | 'moderate' | 'strict' | undefined
  /** The kind of pages. Absent: any. */
  readonly category?: Category | undefined
}

export type Category = 'news' | 'academic' | 'finance' | 'videos' | 'images' | 'code' | 'people'
export type Freshness = 'hour' | 'day' | 'week' | 'month' | 'year'
