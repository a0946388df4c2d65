import { oneLine } from '@csp/lib/text'
import type { Category, Freshness, SearchFilters } from '../../../domain/search.ts'
import { suffixHints } from './site-filters.ts'

const period: Readonly<Record<Freshness, [label: string, days: number]>> = {
  hour: ['hour', 1 / 24],
  day: ['24 hours', 1],
  week: ['week', 7],
  month: ['month', 31],
  year: ['year', 365],
}

const kindOfPages: Readonly<Record<Category, string>> = {
  news: 'Only news articles, of newspapers, agencies and broadcasters.',
  academic: 'Only scholarly work: papers, preprints, journals, theses and reports of research.',
  finance: 'Only pages on markets, companies and money: filings, market data, financial news and analysis.',
  videos: 'Only pages whose main content is a video.',
  images: 'Only pages whose main content is pictures.',
  code: 'Only code and what developers write on it: repositories, documentation, issues, answers.',
  people: 'Only pages about persons: profiles, biographies, pages of their own.',
}

const safeSearch: Readonly<Record<NonNullable<SearchFilters['safeSearch']>, string | undefined>> = {
  off: undefined,
  moderate: 'Leave out pornography, unless a page is about it as news, law, health or research.',
  strict: 'Leave out adult content of every kind: pornography, erotic texts and pictures, graphic violence, gore.',
}

/** The oldest day that a freshness allows, as `YYYY-MM-DD`. */
export function oldestDay(freshness: Freshness, now: Date): string {
  return new Date(now.getTime() - period[freshness][1] * 86_400_000).toISOString().slice(0, 10)
}

/** The filters that the search tool has no parameter for, in words, a line each. */
export function filterHints(filters: SearchFilters, now: Date): readonly string[] {
  const { category, freshness, publishedAfter, publishedBefore, country, language } = filters
  const near = [filters.city, filters.region].filter(Boolean).join(', ')
  return [
    ...suffixHints(filters),
    category && kindOfPages[category],
    freshness && `Only pages published in the past ${period[freshness][0]}, since ${oldestDay(freshness, now)}.`,
    publishedAfter && `Only pages published on or after ${publishedAfter}.`,
    publishedBefore && `Only pages published on or before ${publishedBefore}.`,
    country && country !== 'ALL' && `Prefer pages that matter to readers in ${country} (ISO country code).`,
    near !== '' && `Prefer pages that matter to readers near ${oneLine(near)}.`,
    language && `Prefer pages in the language ${language} (ISO code).`,
    filters.safeSearch && safeSearch[filters.safeSearch],
  ].filter((hint) => typeof hint === 'string')
}

/** The pages that the caller already has. The latest few are enough: csp itself drops the others. */
export function excludeHints(exclude: readonly string[] = []): readonly string[] {
  const named = exclude.filter((url) => url.length <= maxNamedLength).slice(-maxNamed)
  return named.length > 0 ? [`Find other pages than these, which are known already: ${named.join(' ')}`] : []
}

const maxNamed = 20
const maxNamedLength = 300 // the search tool refuses a query that is too long
