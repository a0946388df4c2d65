import { z } from 'zod'
import type { SearchRequest } from '../../../domain/search.ts'
import { isSuffix } from '../../answer/prompt/site-filters.ts'
import { scoreSchema } from '../../wire/schemas.ts'
import { keyedList, type ListCall, listRows, looseText, shortQuery } from '../http/list-api.ts'

function call({ query, filters }: SearchRequest): ListCall {
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
    include_domains: includeDomains?.slice(0, 300).map(pattern),
    exclude_domains: excludeDomains?.slice(0, 150).map(pattern),
    country: topic === 'general' ? countryName(country) : undefined,
  }
  return { path: 'search', body }
}

/** It takes `*.de` for all sites of Germany. */
function pattern(domain: string): string {
  return isSuffix(domain) ? `*.${domain}` : domain
}

/** In English and lower case. */
function countryName(code: string | undefined): string | undefined {
  if (code === undefined || code === 'ALL') return undefined
  const name = names.of(code)
  return name === undefined || name === code ? undefined : name.toLowerCase()
}

const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })

const row = z
  .object({
    url: z.string(),
    title: z.string().nullish(),
    content: z.string().nullish(),
    published_date: looseText,
    score: scoreSchema,
  })
  .transform(({ url, title, content, published_date, score }) => ({
    url,
    title,
    text: content,
    dates: [published_date],
    score,
  }))

const reply = z.object({ results: listRows(row) }).transform(({ results: rows }) => ({ rows }))

/** Result lists of the Tavily API: one request for each search, one credit whatever the number of rows. */
export const tavily = keyedList({
  name: 'tavily',
  vendor: 'Tavily',
  url: 'https://api.tavily.com',
  keyVariable: 'TAVILY_API_KEY',
  headers: (key) => ({ authorization: `Bearer ${key}` }),
  rowsPerBatch: 20,
  maxBatches: 1,
  call,
  reply,
  reason: z
    .object({ detail: z.union([z.string(), z.object({ error: z.string() }).transform(({ error }) => error)]) })
    .transform(({ detail }) => detail),
})
