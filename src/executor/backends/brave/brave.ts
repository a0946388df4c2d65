import { z } from 'zod'
import type { Freshness, SearchFilters, SearchRequest } from '../../../domain/search.ts'
import { oldestDay } from '../../answer/prompt/filter-hints.ts'
import type { Executor } from '../../executor.ts'
import {
  type KeyedListOptions,
  type ListCall,
  listApi,
  listRows,
  looseText,
  shortQuery,
  withDomains,
} from '../http/list-api.ts'
import { explainBrave } from './error.ts'
import { countries, formerQueryLimits, languages, lastBatch } from './facts.ts'
import { braveQuota } from './quota.ts'

/** Result lists of the official Brave Search API. Each batch is a request, and paid. */
export function brave({ key, url = braveUrl, ...options }: KeyedListOptions): Executor {
  const batches = { rowsPerBatch, maxBatches: 2, lastBatch }
  const facts = { name: 'brave', vendor: 'Brave Search', ...batches, call: braveCall, reply, explain: explainBrave }
  const headers = { 'x-subscription-token': key }
  return listApi({ ...facts, headers, rateLimit: braveQuota }, { url, ...options })
}

export const braveUrl = 'https://api.search.brave.com/res'

/** What one request brings at most, and costs no more than fewer would. */
const rowsPerBatch = 20

/** The request for a batch, the first of which is 0. Nothing goes out that Brave would refuse. */
function braveCall({ query, filters }: SearchRequest, batch: number, now: Date): ListCall {
  const { category } = filters
  const kind = category === 'news' || category === 'videos' ? category : 'web'
  const parameters = {
    q: shortened(query, filters),
    count: String(rowsPerBatch),
    offset: batch > 0 ? String(batch) : undefined,
    freshness: freshness(filters, now),
    country: countries.find((known) => known === filters.country),
    search_lang: language(filters.language),
    safesearch: filters.safeSearch,
    extra_snippets: 'true',
    ...(kind === 'web' && { text_decorations: 'false', result_filter: 'web' }),
  }
  return { path: `v1/${kind}/search`, query: parameters }
}

/** Brave limits the length of a query; the operators are cut first, since the rows are filtered anyway. */
function shortened(query: string, filters: SearchFilters): string {
  const plain = fitting(query.trim().split(/\s+/))
  const whole = withDomains(plain, filters)
  return fitting(whole.split(' ')) === whole ? whole : plain
}

function fitting(words: readonly string[]): string {
  return shortQuery(words.slice(0, maxWords).join(' '), maxCharacters)
}

const { maxWords, maxCharacters } = formerQueryLimits

function freshness({ freshness: within, publishedAfter, publishedBefore }: SearchFilters, now: Date) {
  if (!publishedAfter && !publishedBefore) return within && periods[within]
  const oldest = within ? oldestDay(within, now) : '1990-01-01'
  const from = publishedAfter && publishedAfter > oldest ? publishedAfter : oldest
  return `${from}to${publishedBefore ?? now.toISOString().slice(0, 10)}`
}

const periods: Readonly<Record<Freshness, string>> = { hour: 'pd', day: 'pd', week: 'pw', month: 'pm', year: 'py' }

/** With its region or script where Brave knows that, otherwise without. */
function language(wanted: string | undefined): string | undefined {
  if (wanted === undefined) return undefined
  const [base = ''] = wanted.split('-')
  const named = [wanted, base, defaults[base] ?? ''].find((name) => languages.some((known) => known === name))
  return named === 'ja' ? 'jp' : named
}

const defaults: Readonly<Record<string, string>> = { pt: 'pt-pt', zh: 'zh-hans', no: 'nb' }

const row = z
  .object({
    url: z.string(),
    title: z.string().nullish(),
    description: z.string().nullish(),
    extra_snippets: z.array(z.string()).nullish().catch(undefined),
    page_age: looseText,
    age: looseText,
  })
  .transform(({ url, title, description, extra_snippets, page_age, age }) => ({
    url,
    title,
    dates: [page_age, age],
    text: [description, ...(extra_snippets ?? [])].filter(Boolean).join(' … '),
  }))

const rows = listRows(row).optional()

/** A group without rows is absent. News and videos have theirs at the top. */
const reply = z
  .object({
    type: z.string(),
    query: z.object({ more_results_available: z.boolean().optional() }).optional().catch(undefined),
    web: z.object({ results: rows }).optional(),
    results: rows,
  })
  .transform(({ query, web, results = [] }) => {
    const found = web?.results ?? results
    return { rows: found, hasMore: found.length > 0 && query?.more_results_available !== false }
  })
