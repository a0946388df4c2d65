import { z } from 'zod'
import { SearchError } from '../../../domain/error.ts'
import type { RateLimitHealth } from '../../../domain/health.ts'
import type { SearchEvent, SearchRequest, SearchResult } from '../../../domain/search.ts'
import { parseJson } from '../../../lib/json.ts'
import { joinUrl } from '../../../lib/url.ts'
import { fullDate } from '../../answer/dates.ts'
import { done, reportSearch } from '../../answer/events.ts'
import { cleanSnippet, cleanTitle } from '../../answer/row-text.ts'
import type { Executor } from '../../executor.ts'
import { apiBackend } from '../http/api-backend.ts'
import { ApiClient, type ApiLimits } from '../http/api-client.ts'
import { collectPages, type ListPage } from '../http/collect-pages.ts'
import { explainBrave } from './error.ts'
import { maxPage } from './facts.ts'
import { bravePath, braveQuery, rowsPerPage } from './query.ts'
import { braveQuota } from './quota.ts'

export interface BraveOptions extends ApiLimits {
  readonly key: string
  /** Of csp. */
  readonly version: string
  /** By default Brave's own. */
  readonly url?: string | undefined
  readonly now?: (() => Date) | undefined
}

/** Result lists of the official Brave Search API. Each page is a request, and paid. Nothing is written: see `answering()`. */
export function brave({ key, version, url = braveUrl, now = () => new Date(), ...limits }: BraveOptions): Executor {
  const client = new ApiClient('Brave Search', version, limits)
  let quota: RateLimitHealth | undefined

  async function* search(request: SearchRequest, signal: AbortSignal): AsyncGenerator<SearchEvent> {
    const first = Math.round((request.cursor ?? 0) / rowsPerPage)
    const pages = Array.from({ length: maxPages }, (_, index) => first + index).filter((page) => page <= maxPage)
    const { rows, asked } = await collectPages(request, pages, (page) => askFor(request, page, signal), now, signal)
    yield* reportSearch('search-1', request.query, rows)
    yield done({ searches: asked, model: 'brave' })
  }

  async function askFor(request: SearchRequest, page: number, signal: AbortSignal): Promise<ListPage> {
    const call = joinUrl(url, bravePath(request))
    call.search = braveQuery(request, page, now()).toString()
    const reply = await client.ask({ url: call, headers: { 'x-subscription-token': key } }, signal)
    if (reply.status !== 200) throw explainBrave(reply, now())
    quota = braveQuota(reply.headers, now()) ?? quota
    return read(reply.text)
  }

  return apiBackend({
    name: 'brave',
    now,
    supports: ({ want }) => want === 'results',
    search,
    rateLimit: () => quota,
  })
}

export const braveUrl = 'https://api.search.brave.com/res'

const maxPages = 2

const row = z.object({
  url: z.string(),
  title: z.string().nullish(),
  description: z.string().nullish(),
  extra_snippets: z.array(z.string()).nullish().catch(undefined),
  page_age: z.string().nullish().catch(undefined),
  age: z.string().nullish().catch(undefined),
})

const rows = z.array(row.optional().catch(undefined))

/** A group without rows is absent. News and videos have theirs at the top. */
const replySchema = z.object({
  type: z.string(),
  query: z.object({ more_results_available: z.boolean().optional() }).optional().catch(undefined),
  web: z.object({ results: rows }).optional(),
  results: rows.optional(),
})

function read(text: string): ListPage {
  const { data } = replySchema.safeParse(parseJson(text))
  if (!data) throw new SearchError('failed', 'Brave Search sent something other than results.')
  const found = (data.web?.results ?? data.results ?? []).flatMap((item) => (item ? toResult(item) : []))
  return { results: found, hasMore: found.length > 0 && data.query?.more_results_available !== false }
}

function toResult({ url, title, description, extra_snippets, page_age, age }: z.output<typeof row>): SearchResult {
  return {
    title: cleanTitle(title ?? '', url),
    url,
    snippet: cleanSnippet([description, ...(extra_snippets ?? [])].filter(Boolean).join(' … ')),
    publishedAt: fullDate(page_age ?? '') ?? fullDate(age ?? ''),
    source: 'brave',
  }
}
