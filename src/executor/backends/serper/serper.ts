import { z } from 'zod'
import type { Category, SearchFilters, SearchRequest } from '../../../domain/search.ts'
import { oldestDay } from '../../answer/prompt/filter-hints.ts'
import { keyedList, type ListCall, listRows, looseText, shortQuery, withDomains } from '../http/list-api.ts'

function call({ query, filters }: SearchRequest, batch: number, now: Date): ListCall {
  const { country, language, category, safeSearch } = filters
  const body = {
    q: withDomains(shortQuery(query, 1500), filters),
    gl: country && country !== 'ALL' ? country.toLowerCase() : undefined,
    hl: language,
    tbs: dates(filters, now),
    num: 10,
    page: batch > 0 ? batch + 1 : undefined,
    safe: safeSearch && (safeSearch === 'off' ? 'off' : 'active'),
  }
  return { path: (category && paths[category]) ?? 'search', body }
}

/** Absent: an ordinary search. */
const paths: Partial<Readonly<Record<Category, string>>> = { news: 'news', videos: 'videos', academic: 'scholar' }

/** Google's own words for a span, or for two days. */
function dates({ freshness, publishedAfter, publishedBefore }: SearchFilters, now: Date): string | undefined {
  if (!publishedAfter && !publishedBefore) return freshness && `qdr:${freshness[0]}`
  const oldest = [freshness && oldestDay(freshness, now), publishedAfter].filter(Boolean).toSorted().at(-1)
  const written = (day: string | undefined) => day?.replace(/^(\d+)-0?(\d+)-0?(\d+)$/, '$2/$3/$1') ?? ''
  return `cdr:1,cd_min:${written(oldest)},cd_max:${written(publishedBefore)}`
}

const row = z
  .object({ link: z.string(), title: z.string().nullish(), snippet: z.string().nullish(), date: looseText })
  .transform(({ link: url, title, snippet: text, date }) => ({ url, title, text, dates: [date] }))

const rows = listRows(row).optional()

/** Replies to ordinary and academic searches, to news, and to videos. */
const reply = z
  .object({ organic: rows, news: rows, videos: rows })
  .refine(({ organic, news, videos }) => (organic ?? news ?? videos) !== undefined)
  .transform(({ organic, news, videos = [] }) => ({ rows: organic ?? news ?? videos }))

/** Google's result lists by the Serper API. Each batch of ten is a request, and a credit. */
export const serper = keyedList({
  name: 'serper',
  vendor: 'Serper',
  url: 'https://google.serper.dev',
  keyVariable: 'SERPER_API_KEY',
  headers: (key) => ({ 'x-api-key': key }),
  rowsPerBatch: 10,
  maxBatches: 2,
  call,
  reply,
  reason: z.object({ message: z.string() }).transform(({ message }) => message),
})
