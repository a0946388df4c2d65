import type { Freshness, SearchFilters, SearchRequest } from '../../../domain/search.ts'
import { withDomains } from '../http/domain-operators.ts'
import type { ListCall } from '../http/list-api.ts'
import { categories, safeSearchLevels } from './facts.ts'

/** The request for a batch, the first of which is 0. Filters without a SearXNG parameter are applied to the rows. */
export function searxngCall({ query, filters }: SearchRequest, batch: number, now: Date): ListCall {
  const { safeSearch, category } = filters
  const parameters = {
    q: withDomains(withoutCommands(query), filters),
    format: 'json',
    pageno: batch > 0 ? String(batch + 1) : undefined,
    time_range: timeRange(filters, now),
    language: language(filters),
    safesearch: safeSearch && String(safeSearchLevels.indexOf(safeSearch)),
    categories: categories.find(([, known]) => known === category)?.[0],
  }
  return { path: 'search', query: parameters }
}

/** Words that SearXNG would take for a command: an engine, a language, a time-out, a redirect to another site. */
function withoutCommands(query: string): string {
  const words = query.split(/\s+/).map((word) => word.replace(/^(?:!+(?=[a-z\d])|:(?=[a-z])|<(?=\d+$))/i, ''))
  return words.join(' ')
}

/** The shortest range that includes the whole period. */
function timeRange({ freshness, publishedAfter }: SearchFilters, now: Date): string | undefined {
  if (freshness) return ranges[freshness]
  if (!publishedAfter) return undefined
  const days = (now.getTime() - Date.parse(publishedAfter)) / 86_400_000
  return (['day', 'week', 'month', 'year'] as const).find((range) => days <= rangeDays[range])
}

const ranges: Readonly<Record<Freshness, string>> = {
  hour: 'day',
  day: 'day',
  week: 'week',
  month: 'month',
  year: 'year',
}
const rangeDays = { day: 1, week: 7, month: 30, year: 365 } as const

/** `ll` or `ll-CC`; it refuses scripts. */
function language({ language: wanted, country }: SearchFilters): string | undefined {
  if (!wanted) return undefined
  const [base = '', rest] = wanted.split('-')
  if (!/^[a-z]{2,3}$/.test(base)) return undefined
  const region = rest === undefined ? country?.replace('ALL', '') : (scripts[rest] ?? rest)
  return region && /^[a-z]{2}$/i.test(region) ? `${base}-${region.toUpperCase()}` : base
}

const scripts: Readonly<Record<string, string>> = { hans: 'CN', hant: 'TW' }
