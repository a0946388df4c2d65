import { z } from 'zod'
import type { Executor } from '../../executor.ts'
import { type KeyedListOptions, listApi, listRows, looseText } from '../http/list-api.ts'
import { explainBrave } from './error.ts'
import { lastBatch } from './facts.ts'
import { braveCall, rowsPerBatch } from './query.ts'
import { braveQuota } from './quota.ts'

/** Result lists of the official Brave Search API. Each batch is a request, and paid. */
export function brave({ key, url = braveUrl, ...options }: KeyedListOptions): Executor {
  const batches = { rowsPerBatch, maxBatches: 2, lastBatch }
  const facts = { name: 'brave', vendor: 'Brave Search', ...batches, call: braveCall, reply, explain: explainBrave }
  const headers = { 'x-subscription-token': key }
  return listApi({ ...facts, headers, rateLimit: braveQuota }, { url, ...options })
}

export const braveUrl = 'https://api.search.brave.com/res'

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
