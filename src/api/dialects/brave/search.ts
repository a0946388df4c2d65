import { z } from 'zod'
import type { Category, ListRequest } from '../../../domain/search.ts'
import { countries, freshnessCodes, languages, lastBatch, queryLimits } from '../../../executor/backends/brave/facts.ts'
import { freshnessField } from '../../fields/dates.ts'
import { booleanField, integerField, listField, nameField, optional, Rejection, textField } from '../../fields/field.ts'
import { readLocale } from '../../fields/locale.ts'
import { readLenientLocation } from '../../fields/location.ts'
import { queryField } from '../../fields/query.ts'
import { readSiteOperators } from '../../fields/site-operators.ts'
import { withoutEffect } from '../../http/unread.ts'

/** The rows of a page by default. */
export const defaultCount = 20

export const braveCountryField = nameField(countries)

export const braveLanguageField = nameField(languages)

const localeField = textField(
  (text) =>
    readLocale(text, 'language')?.country
      ? text
      : new Rejection('string_pattern_mismatch', 'Input should be a locale such as en-US'),
  'locale: en-US',
)

/** Ranking rules, or their URL. Accepted, without effect. */
export const braveGogglesField = withoutEffect(optional(z.union([z.string(), z.array(z.string())])))

export const braveQueryField = queryField(queryLimits)

/** The parameters of every search of Brave's. */
export const braveSearchFields = {
  q: braveQueryField,
  country: optional(braveCountryField),
  search_lang: optional(braveLanguageField),
  freshness: optional(freshnessField(freshnessCodes)),
  spellcheck: withoutEffect(optional(booleanField)),
  operators: optional(booleanField),
}

/** The parameters of paged searches. */
export const bravePageFields = {
  ui_lang: withoutEffect(optional(localeField)),
  offset: optional(integerField(0, lastBatch)),
  safesearch: optional(nameField(['off', 'moderate', 'strict'])),
  extra_snippets: optional(booleanField),
  include_fetch_metadata: withoutEffect(optional(booleanField)),
}

/** The field by which a caller asks for more than one excerpt of a page. */
export function bravePassagesFields({ extra_snippets }: { readonly extra_snippets?: boolean | undefined }) {
  return extra_snippets ? ['extra_snippets'] : []
}

type BraveSearchInput = z.output<z.ZodObject<typeof braveSearchFields>> &
  Partial<Pick<z.output<z.ZodObject<typeof bravePageFields>>, 'offset' | 'safesearch'>> & {
    readonly count?: number | undefined
  }

/** Which rows of a search: its offset counts pages. */
export function braveRows({ count, offset = 0 }: BraveSearchInput) {
  return { rows: count, page: offset + 1 }
}

/** Translates a search. */
export function readBraveSearch(
  input: BraveSearchInput,
  headers: Headers | undefined,
  category?: Category | undefined,
): Pick<ListRequest, 'query' | 'filters'> {
  const { sites } = readOperators(input)
  return {
    query: input.q,
    filters: {
      ...input.freshness,
      ...sites,
      ...readPlace(input.country, headers),
      language: readLanguage(input.search_lang),
      safeSearch: input.safesearch,
      category,
    },
  }
}

/** The `query` of the reply. A full page is taken as a sign that there are more rows. */
export function formatBraveQuery(input: BraveSearchInput, rows: number): Readonly<Record<string, unknown>> {
  const { sites, rest } = readOperators(input)
  const { count = defaultCount, offset = 0 } = input
  return {
    original: input.q,
    search_operators: sites && { applied: true, cleaned_query: rest, sites: sites.includeDomains ?? [] },
    more_results_available: rows === count && offset < lastBatch,
  }
}

/** The headers in which Brave's clients say where the user is. */
export const braveLocationHeaders = {
  'x-loc-country': 'The country of the caller, where `country` does not name one',
  'x-loc-city': 'The city of the caller',
  'x-loc-state': 'The code of the region of the caller, or its name as `x-loc-state-name`',
  'x-loc-timezone': 'The IANA time zone of the caller',
}

/**
 * `country`, otherwise the country that the headers name; `ALL` is anywhere. The headers' place stands only with the
 * country that it is in.
 */
export function readPlace(country: string | undefined, headers: Headers | undefined) {
  const header = (name: string) => headerText(headers?.get(`x-loc-${name}`) ?? '')
  const place = readLenientLocation({
    country: header('country'),
    city: header('city'),
    region: header('state-name') || header('state'),
    timezone: header('timezone'),
  })
  if (country === undefined) return place
  if (country === 'ALL') return {}
  return place.country === undefined || place.country === country ? { ...place, country } : { country }
}

/** Headers are read byte by byte; some clients send UTF-8. */
function headerText(value: string): string {
  const bytes = Uint8Array.from(value, (letter) => letter.charCodeAt(0))
  if (bytes.length > maxHeaderLength || /[^\0-\xff]/.test(value)) return value
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return value
  }
}

const maxHeaderLength = 1000

/** `jp` is the vendor's own spelling of Japanese. */
export function readLanguage(language: string | undefined): string | undefined {
  return language === 'jp' ? 'ja' : language
}

function readOperators({ q, operators = true }: BraveSearchInput) {
  return operators ? readSiteOperators(q) : { rest: q }
}

export type BraveWebInput = z.output<typeof braveWebInput>

/** The parameters of Brave's web search. Unsupported parameters are checked, then ignored. */
export const braveWebInput = z.object({
  ...braveSearchFields,
  ...bravePageFields,
  count: optional(integerField(1, 20)),
  text_decorations: withoutEffect(optional(booleanField)),
  result_filter: optional(
    listField(
      nameField(['discussions', 'faq', 'infobox', 'locations', 'news', 'query', 'rich', 'summarizer', 'videos', 'web']),
      20,
    ),
  ),
  goggles: braveGogglesField,
  goggles_id: withoutEffect(optional(z.string())),
  units: withoutEffect(optional(nameField(['metric', 'imperial']))),
  summary: optional(booleanField),
  enable_rich_callback: withoutEffect(optional(booleanField)),
})
