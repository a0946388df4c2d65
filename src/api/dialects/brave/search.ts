import { z } from 'zod'
import type { Category, SearchFilters, SearchRequest } from '../../../domain/search.ts'
import { countries, freshnessCodes, languages, maxPage, queryLimits } from '../../../executor/backends/brave/facts.ts'
import { booleanField, integerField, nameField, optional, Rejection, textField } from '../../fields/field.ts'
import { freshnessField, type PublishedWithin } from '../../fields/freshness-field.ts'
import { queryField } from '../../fields/query-field.ts'
import { readSiteOperators } from './operators.ts'

/** How many rows a page has where the caller does not say. */
export const defaultCount = 20

export const braveCountryField = nameField(countries)

export const braveLanguageField = nameField(languages)

const localeField = textField((text) =>
  /^[a-z]{2}-[a-z]{2}$/i.test(text)
    ? text
    : new Rejection('string_pattern_mismatch', 'Input should be a locale such as en-US'),
)

/** Rules for ranking, or where they stand. Accepted, and without effect. */
export const braveGogglesField = z.union([z.string(), z.array(z.string())])

export const braveQueryField = queryField(queryLimits)

/** The parameters of every search of Brave's. */
export const braveSearchFields = {
  q: braveQueryField,
  country: optional(braveCountryField),
  search_lang: optional(braveLanguageField),
  freshness: optional(freshnessField(freshnessCodes)),
  spellcheck: optional(booleanField),
  operators: optional(booleanField),
}

/** The parameters of those that give their results page by page. */
export const bravePageFields = {
  ui_lang: optional(localeField),
  offset: optional(integerField(0, maxPage)),
  safesearch: optional(nameField(['off', 'moderate', 'strict'])),
  extra_snippets: optional(booleanField),
  include_fetch_metadata: optional(booleanField),
}

export interface BraveSearchInput {
  readonly q: string
  readonly country?: string | undefined
  readonly search_lang?: string | undefined
  readonly freshness?: PublishedWithin | undefined
  readonly operators?: boolean | undefined
  readonly count?: number | undefined
  readonly offset?: number | undefined
  readonly safesearch?: SearchFilters['safeSearch']
}

/** Translates a search. Without a `count` it has no limit, so that whatever one search finds will do. */
export function readBraveSearch(
  input: BraveSearchInput,
  headers: Headers | undefined,
  category?: Category | undefined,
): SearchRequest {
  const { sites } = readOperators(input)
  return {
    query: input.q,
    history: [],
    want: 'results',
    effort: 'fast',
    limit: input.count,
    offset: (input.offset ?? 0) * (input.count ?? defaultCount) || undefined,
    filters: {
      ...input.freshness,
      ...sites,
      country: readCountry(input.country, headers),
      language: readLanguage(input.search_lang),
      safeSearch: input.safesearch,
      category,
    },
  }
}

/** What the reply says of the query, with so many rows. A full page is taken for a sign that there are more. */
export function formatBraveQuery(input: BraveSearchInput, rows: number): Readonly<Record<string, unknown>> {
  const { sites, rest } = readOperators(input)
  const { count = defaultCount, offset = 0 } = input
  return {
    original: input.q,
    search_operators: sites && { applied: true, cleaned_query: rest, sites: sites.includeDomains ?? [] },
    more_results_available: rows === count && offset < maxPage,
  }
}

/** Without `country` the header that tells where the caller is counts; `ALL` is anywhere. */
export function readCountry(country: string | undefined, headers: Headers | undefined): string | undefined {
  if (country !== undefined) return country === 'ALL' ? undefined : country
  const place = headers?.get('x-loc-country')?.trim().toUpperCase()
  return place && /^[A-Z]{2}$/.test(place) ? place : undefined
}

/** `jp` is the vendor's own spelling of Japanese. */
export function readLanguage(language: string | undefined): string | undefined {
  return language === 'jp' ? 'ja' : language
}

function readOperators({ q, operators = true }: BraveSearchInput) {
  return operators ? readSiteOperators(q) : { rest: q }
}
