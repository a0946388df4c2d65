import { z } from 'zod'
import type { Freshness, SearchFilters, SearchRequest } from '../../../domain/search.ts'
import type { Executor } from '../../executor.ts'
import { scoreSchema } from '../../wire/schemas.ts'
import { type ListCall, type ListOptions, listApi, listRows, looseText, withDomains } from '../http/list-api.ts'
import { explainSearxng } from './error.ts'
import { categories, safeSearchLevels } from './facts.ts'

export interface SearxngOptions extends ListOptions {
  /** The address of the instance, with its path if it has one. */
  readonly url: string
}

/** Result lists of a SearXNG instance, over its JSON API. The usual instance has 30 rows in a batch. */
export function searxng(options: SearxngOptions): Executor {
  const batches = { rowsPerBatch: 30, maxBatches: 3 }
  return listApi(
    { name: 'searxng', vendor: 'SearXNG', ...batches, call: searxngCall, reply, explain: explainSearxng },
    options,
  )
}

/** The request for a batch, the first of which is 0. Filters without a SearXNG parameter are applied to the rows. */
function searxngCall({ query, filters }: SearchRequest, batch: number, now: Date): ListCall {
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

const row = z
  .object({
    url: z.string(),
    title: z.string().nullish(),
    content: z.string().nullish(),
    // Newer ones give an ISO date; older ones words for people, and the date as `pubdate`.
    publishedDate: looseText,
    pubdate: looseText,
    score: scoreSchema,
  })
  .transform(({ url, title, content, publishedDate, pubdate, score }) => ({
    url,
    title,
    text: content,
    dates: [pubdate, publishedDate],
    score,
  }))

/** An answer or an infobox among the results has no URL, and is skipped. */
const reply = z
  .object({
    results: listRows(row),
    unresponsive_engines: z.array(z.array(z.string().catch(''))).catch([]),
  })
  .transform(({ results: rows, unresponsive_engines: engines }) => ({
    rows,
    problem: rows.length === 0 && engines.length > 0 ? silent(engines) : undefined,
  }))

/** Names the engines that failed, so that the reply is not mistaken for an empty result. */
function silent(engines: readonly (readonly string[])[]): string {
  const told = engines.slice(0, 5).map(([name = '', reason]) => (reason ? `${name} (${reason})` : name))
  return `SearXNG found nothing, and some of its engines failed: ${told.join(', ')}.`
}
