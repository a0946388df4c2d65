import { z } from 'zod'
import type { Category, SearchRequest, SearchResult } from '../../../domain/search.ts'
import { fullDate } from '../../answer/dates.ts'
import { oldestDay } from '../../answer/prompt/filter-hints.ts'
import { cleanSnippet, cleanTitle } from '../../answer/row-text.ts'
import type { Executor } from '../../executor.ts'
import type { ListPage } from '../http/collect-pages.ts'
import { type ListApiOptions, listApi, shortQuery } from '../http/list-api.ts'

export const exaUrl = 'https://api.exa.ai'

/** Result lists of the Exa API: one request for each search, whose price is the same up to 25 rows. */
export function exa({ key, url = exaUrl, ...options }: ListApiOptions): Executor {
  const headers = { 'x-api-key': key }
  return listApi({ ...exaFacts, headers, rowsPerPage: 25, maxPages: 1, call, read }, { key, url, ...options })
}

export const exaFacts = {
  name: 'exa',
  vendor: 'Exa',
  keyVariable: 'CSP_EXA_API_KEY',
  reason: (body: unknown) => errorSchema.safeParse(body).data?.error,
}

function call({ query, filters }: SearchRequest, _: number, now: Date) {
  const { freshness, publishedAfter, publishedBefore, includeDomains, excludeDomains, country, category } = filters
  const oldest = [freshness && oldestDay(freshness, now), publishedAfter].filter(Boolean).toSorted().at(-1)
  const body = {
    query: shortQuery(query, 2000),
    type: 'auto',
    numResults: 25,
    category: category && categories[category],
    includeDomains: includeDomains?.length ? includeDomains : undefined,
    // It takes the one or the other; the rows are filtered anyway.
    excludeDomains: excludeDomains?.length && !includeDomains?.length ? excludeDomains : undefined,
    startPublishedDate: oldest && `${oldest}T00:00:00.000Z`,
    endPublishedDate: publishedBefore && `${publishedBefore}T23:59:59.999Z`,
    userLocation: country && country !== 'ALL' ? country : undefined,
    ...(filters.safeSearch !== undefined && filters.safeSearch !== 'off' && { moderation: true }),
    contents: { highlights: true },
  }
  return { path: 'search', body }
}

/** Absent: it has no such category, and searches everything. */
const categories: Partial<Readonly<Record<Category, string>>> = {
  news: 'news',
  academic: 'research paper',
  finance: 'financial report',
  code: 'github',
  people: 'people',
}

const row = z.object({
  url: z.string(),
  title: z.string().nullish(),
  publishedDate: z.string().nullish().catch(undefined),
  highlights: z.array(z.string()).nullish().catch(undefined),
})

const replySchema = z.object({ results: z.array(row.optional().catch(undefined)) })

const errorSchema = z.object({ error: z.string() })

function read(body: unknown): ListPage | undefined {
  const { data } = replySchema.safeParse(body)
  return data && { results: data.results.flatMap((item) => (item ? toResult(item) : [])), hasMore: false }
}

function toResult({ url, title, publishedDate, highlights }: z.output<typeof row>): SearchResult {
  return {
    title: cleanTitle(title ?? '', url),
    url,
    snippet: cleanSnippet((highlights ?? []).join(' … ')),
    publishedAt: fullDate(publishedDate ?? ''),
    source: 'exa',
  }
}
