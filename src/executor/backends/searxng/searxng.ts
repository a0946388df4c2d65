import { z } from 'zod'
import { SearchError } from '../../../domain/error.ts'
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
import { explainSearxng } from './error.ts'
import { searxngQuery } from './query.ts'

export interface SearxngOptions extends ApiLimits {
  /** Of the instance, with its path if it has one. */
  readonly url: string
  /** Of csp. */
  readonly version: string
  readonly now?: (() => Date) | undefined
}

/** Result lists of a SearXNG instance, over its JSON API. Nothing is written: see `answering()`. */
export function searxng({ url, version, now = () => new Date(), ...limits }: SearxngOptions): Executor {
  const client = new ApiClient('SearXNG', version, limits)
  const address = joinUrl(url, 'search')

  async function* search(request: SearchRequest, signal: AbortSignal): AsyncGenerator<SearchEvent> {
    const first = 1 + Math.round((request.cursor ?? 0) / usualPage)
    const pages = Array.from({ length: maxPages }, (_, index) => first + index)
    const { rows, asked } = await collectPages(request, pages, (page) => askFor(request, page, signal), now, signal)
    yield* reportSearch('search-1', request.query, rows)
    yield done({ searches: asked, model: 'searxng' })
  }

  async function askFor(request: SearchRequest, page: number, signal: AbortSignal): Promise<ListPage> {
    const call = new URL(address)
    call.search = searxngQuery(request, page, now()).toString()
    const reply = await client.ask({ url: call }, signal)
    const { data } = reply.status === 200 ? replySchema.safeParse(parseJson(reply.text)) : {}
    if (!data) throw explainSearxng(reply, call, now())
    if (data.results.length === 0 && data.unresponsive_engines.length > 0 && page === 1) throw silent(data)
    const results = data.results.flatMap((row) => (row ? toResult(row) : []))
    return { results, hasMore: results.length > 0 }
  }

  return apiBackend({ name: 'searxng', now, supports: ({ want }) => want === 'results', search })
}

/** Rows on a page of the usual instance: a guess. One that is too low costs a request, one too high would lose rows. */
const usualPage = 30
const maxPages = 3

const row = z.object({
  url: z.string(),
  title: z.string().nullish(),
  content: z.string().nullish(),
  // Newer ones give an ISO date; older ones words for people, and the date as `pubdate`.
  publishedDate: z.string().nullish().catch(undefined),
  pubdate: z.string().nullish().catch(undefined),
  score: z.number().nonnegative().optional().catch(undefined),
})

/** An answer or an infobox among the results has no URL, and is skipped. */
const replySchema = z.object({
  results: z.array(row.optional().catch(undefined)),
  unresponsive_engines: z.array(z.array(z.string().catch(''))).catch([]),
})

type Reply = z.output<typeof replySchema>

function toResult({ url, title, content, publishedDate, pubdate, score }: z.output<typeof row>): SearchResult {
  return {
    title: cleanTitle(title ?? '', url),
    url,
    snippet: cleanSnippet(content ?? ''),
    publishedAt: fullDate(pubdate ?? '') ?? fullDate(publishedDate ?? ''),
    score,
    source: 'searxng',
  }
}

/** Names the engines that failed, so that the reply is not mistaken for an empty result. */
function silent({ unresponsive_engines: engines }: Reply): SearchError {
  const told = engines.slice(0, 5).map(([name = '', reason]) => (reason ? `${name} (${reason})` : name))
  return new SearchError('unavailable', `SearXNG found nothing, and some of its engines failed: ${told.join(', ')}.`)
}
