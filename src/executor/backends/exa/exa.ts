import { z } from 'zod'
import type { Category, SearchRequest } from '../../../domain/search.ts'
import { oldestDay } from '../../answer/prompt/filter-hints.ts'
import { siteFilters } from '../../answer/prompt/site-filters.ts'
import { scoreSchema } from '../../wire/schemas.ts'
import { keyedList, type ListCall, listRows, looseText, shortQuery } from '../http/list-api.ts'

function call({ query, filters }: SearchRequest, _: number, now: Date): ListCall {
  const { freshness, publishedAfter, publishedBefore, country, category } = filters
  const { includeDomains, excludeDomains } = siteFilters(filters)
  const oldest = [freshness && oldestDay(freshness, now), publishedAfter].filter(Boolean).toSorted().at(-1)
  const body = {
    query: shortQuery(query, 2000),
    type: 'auto',
    numResults: 25,
    category: category && categories[category],
    includeDomains,
    // It takes the one or the other; the rows are filtered anyway.
    excludeDomains: includeDomains ? undefined : excludeDomains,
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

const row = z
  .object({
    url: z.string(),
    title: z.string().nullish(),
    publishedDate: looseText,
    highlights: z.array(z.string()).nullish().catch(undefined),
    score: scoreSchema,
  })
  .transform(({ url, title, highlights, publishedDate, score }) => ({
    url,
    title,
    text: highlights?.join(' … '),
    dates: [publishedDate],
    score,
  }))

const reply = z.object({ results: listRows(row) }).transform(({ results: rows }) => ({ rows }))

/** Result lists of the Exa API: one request for each search, whose price is the same up to 25 rows. */
export const exa = keyedList({
  name: 'exa',
  vendor: 'Exa',
  url: 'https://api.exa.ai',
  keyVariable: 'EXA_API_KEY',
  headers: (key) => ({ 'x-api-key': key }),
  rowsPerBatch: 25,
  maxBatches: 1,
  call,
  reply,
  reason: z.object({ error: z.string() }).transform(({ error }) => error),
})
