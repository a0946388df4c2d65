import { z } from 'zod'
import type { Category, SearchFilters, SearchRequest, SearchResult } from '../../../domain/search.ts'
import { fullDate } from '../../answer/dates.ts'
import { oldestDay } from '../../answer/prompt/filter-hints.ts'
import { cleanSnippet, cleanTitle } from '../../answer/row-text.ts'
import type { Executor } from '../../executor.ts'
import type { ListPage } from '../http/collect-pages.ts'
import { withDomains } from '../http/domain-operators.ts'
import { type ListApiOptions, listApi, shortQuery } from '../http/list-api.ts'

export const serperUrl = 'https://google.serper.dev'

/** Google's result lists by the Serper API. Each page of ten is a request, and a credit. */
export function serper({ key, url = serperUrl, ...options }: ListApiOptions): Executor {
  const headers = { 'x-api-key': key }
  return listApi({ ...serperFacts, headers, rowsPerPage: 10, maxPages: 2, call, read }, { key, url, ...options })
}

export const serperFacts = {
  name: 'serper',
  vendor: 'Serper',
  keyVariable: 'CSP_SERPER_API_KEY',
  reason: (body: unknown) => errorSchema.safeParse(body).data?.message,
}

function call({ query, filters }: SearchRequest, page: number, now: Date) {
  const { country, language, category, safeSearch } = filters
  const body = {
    q: withDomains(shortQuery(query, 1500), filters),
    gl: country && country !== 'ALL' ? country.toLowerCase() : undefined,
    hl: language,
    tbs: dates(filters, now),
    num: 10,
    page: page > 0 ? page + 1 : undefined,
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

const row = z.object({
  link: z.string(),
  title: z.string().nullish(),
  snippet: z.string().nullish(),
  date: z.string().nullish().catch(undefined),
})

const rows = z.array(row.optional().catch(undefined))

/** Of an ordinary and of an academic search; of news; of videos. */
const replySchema = z
  .object({ organic: rows.optional(), news: rows.optional(), videos: rows.optional() })
  .refine(({ organic, news, videos }) => (organic ?? news ?? videos) !== undefined)

const errorSchema = z.object({ message: z.string() })

function read(body: unknown): ListPage | undefined {
  const { data } = replySchema.safeParse(body)
  if (!data) return undefined
  const found = (data.organic ?? data.news ?? data.videos ?? []).flatMap((item) => (item ? toResult(item) : []))
  return { results: found, hasMore: found.length > 0 }
}

function toResult({ link, title, snippet, date }: z.output<typeof row>): SearchResult {
  return {
    title: cleanTitle(title ?? '', link),
    url: link,
    snippet: cleanSnippet(snippet ?? ''),
    publishedAt: fullDate(date ?? ''),
    source: 'serper',
  }
}
