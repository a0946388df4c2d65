import { z } from 'zod'
import type { SearchRequest, SearchResult } from '../../../domain/search.ts'
import { fullDate } from '../../answer/dates.ts'
import { cleanSnippet, cleanTitle } from '../../answer/row-text.ts'
import type { Executor } from '../../executor.ts'
import type { ListPage } from '../http/collect-pages.ts'
import { type ListApiOptions, listApi, shortQuery } from '../http/list-api.ts'

export const tavilyUrl = 'https://api.tavily.com'

/** Result lists of the Tavily API: one request for each search, one credit whatever the number of rows. */
export function tavily({ key, url = tavilyUrl, ...options }: ListApiOptions): Executor {
  const headers = { authorization: `Bearer ${key}` }
  return listApi({ ...tavilyFacts, headers, rowsPerPage: 20, maxPages: 1, call, read }, { key, url, ...options })
}

export const tavilyFacts = {
  name: 'tavily',
  vendor: 'Tavily',
  keyVariable: 'CSP_TAVILY_API_KEY',
  reason: (body: unknown) => errorSchema.safeParse(body).data?.detail,
}

function call({ query, filters }: SearchRequest) {
  const { freshness, publishedAfter, publishedBefore, includeDomains, excludeDomains, country, category } = filters
  const topic = category === 'news' || category === 'finance' ? category : 'general'
  const hasDates = publishedAfter !== undefined || publishedBefore !== undefined
  const body = {
    query: shortQuery(query, 400),
    topic,
    search_depth: 'basic',
    max_results: 20,
    time_range: freshness === 'hour' ? 'day' : hasDates ? undefined : freshness,
    start_date: publishedAfter,
    end_date: publishedBefore,
    include_domains: includeDomains?.slice(0, 300),
    exclude_domains: excludeDomains?.slice(0, 150),
    country: topic === 'general' ? countryName(country) : undefined,
  }
  return { path: 'search', body }
}

/** In English and lower case. */
function countryName(code: string | undefined): string | undefined {
  if (code === undefined || code === 'ALL') return undefined
  const name = names.of(code)
  return name === undefined || name === code ? undefined : name.toLowerCase()
}

const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })

const row = z.object({
  url: z.string(),
  title: z.string().nullish(),
  content: z.string().nullish(),
  published_date: z.string().nullish().catch(undefined),
})

const replySchema = z.object({ results: z.array(row.optional().catch(undefined)) })

const errorSchema = z.object({
  detail: z.union([z.string(), z.object({ error: z.string() }).transform(({ error }) => error)]),
})

function read(body: unknown): ListPage | undefined {
  const { data } = replySchema.safeParse(body)
  return data && { results: data.results.flatMap((item) => (item ? toResult(item) : [])), hasMore: false }
}

function toResult({ url, title, content, published_date }: z.output<typeof row>): SearchResult {
  return {
    title: cleanTitle(title ?? '', url),
    url,
    snippet: cleanSnippet(content ?? ''),
    publishedAt: fullDate(published_date ?? ''),
    source: 'tavily',
  }
}
