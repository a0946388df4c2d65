import { z } from 'zod'
import type { Category, SearchFilters } from '../../../domain/search.ts'
import type { Issue } from '../../exchange/failure.ts'
import { refused } from '../../exchange/refusal.ts'
import { calendarDate, publishedBetween } from '../../fields/dates.ts'
import { ignoredFields, optional, Rejection, textField } from '../../fields/field.ts'
import { countryField, languageField, readDomain } from '../../fields/places.ts'

export type PerplexityFilters = z.output<z.ZodObject<typeof perplexityFilterFields>>

export interface DomainEntry {
  readonly denied: boolean
  readonly domain: string
}

const dateField = textField((text) => {
  const [month = 0, day = 0, year = 0] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(text.trim())?.slice(1).map(Number) ?? []
  return (
    calendarDate(year, month, day) ?? new Rejection('value_error', 'Input should be an existing date, as MM/DD/YYYY')
  )
}, 'date as MM/DD/YYYY')

const domainEntryField = textField((text): DomainEntry | Rejection => {
  const denied = text.trim().startsWith('-')
  const domain = readDomain(denied ? text.trim().slice(1) : text)
  return domain instanceof Rejection ? domain : { denied, domain }
}, 'domain name: example.com; -example.com leaves it out')

/** The filters that Perplexity's shapes share. Both spellings of the dates are in use. */
export const perplexityFilterFields = {
  country: optional(countryField),
  search_domain_filter: optional(z.array(domainEntryField).max(20)),
  search_language_filter: optional(z.array(languageField).max(10)),
  search_recency_filter: optional(z.enum(['hour', 'day', 'week', 'month', 'year'])),
  search_after_date_filter: optional(dateField),
  search_before_date_filter: optional(dateField),
  search_after_date: optional(dateField),
  search_before_date: optional(dateField),
  last_updated_after_filter: optional(z.unknown()),
  last_updated_before_filter: optional(z.unknown()),
}

/** The filters without effect: when a page was last changed is not known, and a search prefers one language. */
export function ignoredFilters(input: PerplexityFilters): readonly string[] {
  const languages = input.search_language_filter ?? []
  return [
    ...ignoredFields(input, ['last_updated_after_filter', 'last_updated_before_filter']),
    ...languages.slice(1).map((_, index) => `search_language_filter[${index + 1}]`),
  ]
}

/** Which part of the web Perplexity searches. */
export const searchModeField = optional(z.enum(['web', 'academic', 'sec']))

/** The category that a search mode stands for; `sec` is filings with the U.S. Securities and Exchange Commission. */
export function categoryOf(mode: z.output<typeof searchModeField>): Category | undefined {
  if (mode === 'sec') return 'finance'
  return mode === 'academic' ? 'academic' : undefined
}

/** The language of the answer: a code or a name, and nothing else, since it goes into the prompt. */
export const answerLanguageField = optional(
  textField(
    (text) =>
      /^[\p{L}][\p{L} ()_-]{0,39}$/u.test(text.trim())
        ? text.trim()
        : new Rejection('value_error', 'Input should be a language such as en or English'),
    'language: en, English',
  ),
)

/** An instruction to answer in that language. */
export function answerLanguageHint(language: string | undefined): string | undefined {
  return language && `Answer in this language: ${language}.`
}

/**
 * Translates the shared filters. `place` is their path in the request. Throws a `Refusal` for filters that
 * exclude each other.
 */
export function readPerplexityFilters(input: PerplexityFilters, place: Issue['path'] = []): SearchFilters {
  const path = (field: keyof PerplexityFilters) => [...place, field]
  const domains = input.search_domain_filter ?? []
  const denied = domains.filter((entry) => entry.denied).map((entry) => entry.domain)
  const allowed = domains.filter((entry) => !entry.denied).map((entry) => entry.domain)
  if (denied.length > 0 && allowed.length > 0) {
    throw refused(path('search_domain_filter'), 'Either allow domains or deny them with a leading -, not both')
  }
  const publishedAfter = input.search_after_date_filter ?? input.search_after_date
  const publishedBefore = input.search_before_date_filter ?? input.search_before_date
  if (input.search_recency_filter && (publishedAfter || publishedBefore)) {
    throw refused(path('search_recency_filter'), 'Give either a recency or dates, not both')
  }
  return {
    includeDomains: allowed.length > 0 ? allowed : undefined,
    excludeDomains: denied.length > 0 ? denied : undefined,
    freshness: input.search_recency_filter,
    ...publishedBetween(publishedAfter, publishedBefore, path('search_before_date_filter')),
    country: input.country,
    language: input.search_language_filter?.[0],
  }
}
