import type { HttpReply } from '@csp/lib/http-client'
import { parseJson } from '@csp/lib/json'
import { retryAfter } from '@csp/lib/retry-after'
import { cleanSnippet, cleanTitle } from '@csp/lib/snippet'
import { cutAtWord, oneLine } from '@csp/lib/text'
import { hostOf, joinUrl } from '@csp/lib/url'
import { z } from 'zod'
import { SearchError } from '../../../domain/error.ts'
import type { RateLimitHealth } from '../../../domain/health.ts'
import type { SearchEvent, SearchFilters, SearchRequest, SearchResult } from '../../../domain/search.ts'
import { fullDate } from '../../answer/dates.ts'
import { done, reportSearch } from '../../answer/events.ts'
import { selectRows } from '../../answer/select-rows.ts'
import type { Executor } from '../../executor.ts'
import { apiBackend } from './api-backend.ts'
import { ApiClient, type ApiLimits } from './api-client.ts'

/** What a backend needs to know of an API that lists pages. */
export interface ListApi {
  /** The backend's name. */
  readonly name: string
  /** As errors call it. */
  readonly vendor: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Rows in a batch, or a guess: one that is too low costs a request, one too high would lose rows. */
  readonly rowsPerBatch: number
  /** Batches that one search asks for at most, each of them paid; 1 where the vendor has no batches. */
  readonly maxBatches: number
  /** The last batch that the vendor has, counted from 0. Absent: there is no end. */
  readonly lastBatch?: number | undefined
  /** A batch, the first of which is 0. */
  readonly call: (request: SearchRequest, batch: number, now: Date) => ListCall
  readonly reply: z.ZodType<ListReply>
  /** Takes the value that `reply` checks out of what was sent; by default its JSON. */
  readonly read?: ((reply: HttpReply) => unknown) | undefined
  /** What a reply other than results means. */
  readonly explain: (reply: HttpReply, now: Date, url: URL) => SearchError
  /** The state of the quota, as far as a reply reports it. */
  readonly rateLimit?: ((headers: Headers, now: Date) => RateLimitHealth | undefined) | undefined
}

/** With a body the request is a POST, otherwise a GET. Parameters that are undefined or empty are left out. */
export interface ListCall {
  readonly path: string
  readonly query?: Readonly<Record<string, string | undefined>> | undefined
  readonly body?: object | undefined
}

/** The rows of a batch. */
export interface ListReply {
  readonly rows: readonly ListRow[]
  /** Whether there may be another batch. By default where this one has rows. */
  readonly hasMore?: boolean | undefined
  /** Why there are no rows, where that may be a failure. */
  readonly problem?: string | undefined
}

/** A row as the vendor sends it: texts may hold entities and tags, and the first whole date counts. */
interface ListRow extends Pick<SearchResult, 'url' | 'score'> {
  readonly title: string | null | undefined
  readonly text: string | null | undefined
  readonly dates: readonly (string | null | undefined)[]
}

/** The rows in a list, without those that the schema does not know. */
export function listRows(row: z.ZodType<ListRow>) {
  return z.array(row.optional().catch(undefined)).transform((rows) => rows.filter((found) => found !== undefined))
}

/** A text that may be missing or of another type. */
export const looseText = z.string().nullish().catch(undefined)

/** What each of these backends is made with. */
export interface ListOptions extends ApiLimits {
  /** The version of csp. */
  readonly version: string
  /** By default the vendor's own. */
  readonly url?: string | undefined
  readonly now?: (() => Date) | undefined
}

/** The same for a vendor that wants a key. */
export interface KeyedListOptions extends ListOptions {
  readonly key: string
}

/** Result lists of an API. Nothing is written: see `composed()`. */
export function listApi(
  {
    name,
    vendor,
    headers,
    rowsPerBatch,
    maxBatches,
    lastBatch = Number.POSITIVE_INFINITY,
    read = jsonOf,
    ...api
  }: ListApi,
  { version, url: baseUrl = '', now = () => new Date(), ...limits }: ListOptions,
): Executor {
  const client = new ApiClient(vendor, version, limits)
  let quota: RateLimitHealth | undefined

  async function* search(request: SearchRequest, signal: AbortSignal): AsyncGenerator<SearchEvent> {
    const first = Math.round((request.cursor ?? 0) / rowsPerBatch)
    const all = Array.from({ length: maxBatches }, (_, index) => first + index).filter((batch) => batch <= lastBatch)
    // Without batches there is nothing behind the first rows.
    const batches = maxBatches === 1 && first > 0 ? [] : all
    const { rows, asked } = await collectBatches(
      request,
      batches,
      (batch) => askFor(request, batch, signal),
      now,
      signal,
    )
    yield* reportSearch('search-1', request.query, rows)
    yield done({ searches: asked, model: name })
  }

  async function askFor(request: SearchRequest, batch: number, signal: AbortSignal): Promise<ListBatch> {
    const { path, query = {}, body } = api.call(request, batch, now())
    const url = joinUrl(baseUrl, path)
    for (const [field, value] of Object.entries(query)) if (value) url.searchParams.set(field, value)
    const reply = await client.ask({ url, headers, body }, signal)
    const { data: found } = reply.status === 200 ? api.reply.safeParse(read(reply)) : {}
    if (!found) throw api.explain(reply, now(), url)
    quota = api.rateLimit?.(reply.headers, now()) ?? quota
    const { rows, hasMore = rows.length > 0, problem } = found
    if (problem !== undefined && batch === 0) {
      throw new SearchError('unavailable', problem, {
        forOthers: `${vendor} found nothing, and some of its engines failed.`,
      })
    }
    return { results: rows.map(toResult), hasMore }
  }

  function toResult({ url, title, text, dates, score }: ListRow): SearchResult {
    return {
      title: cleanTitle(title ?? '', url),
      url,
      snippet: cleanSnippet(text ?? ''),
      publishedAt: dates.map((date) => fullDate(date ?? '')).find((date) => date !== undefined),
      ...(score !== undefined && { score }),
      source: name,
    }
  }

  return apiBackend({ name, now, supports: ({ want }) => want === 'results', search, rateLimit: () => quota })
}

function jsonOf({ text }: HttpReply): unknown {
  return parseJson(text)
}

/** The rows of one batch of a list. */
export interface ListBatch {
  readonly results: readonly SearchResult[]
  readonly hasMore: boolean
}

/**
 * Asks for batches, one after another, until there are as many rows as the request wants, or one where it names no count.
 * A batch that fails after others have brought rows ends the list, without an error. `asked`: how many were asked for.
 */
export async function collectBatches(
  request: SearchRequest,
  batches: readonly number[],
  ask: (batch: number) => Promise<ListBatch>,
  now: () => Date,
  signal: AbortSignal,
): Promise<{ readonly rows: readonly SearchResult[]; readonly asked: number }> {
  const found: SearchResult[] = []
  let rows: readonly SearchResult[] = []
  let asked = 0
  for (const batch of batches) {
    asked++
    try {
      const { results, hasMore } = await ask(batch)
      found.push(...results)
      rows = selectRows(found, request, now())
      if (!hasMore || rows.length >= (request.limit ?? 1)) break
    } catch (error) {
      if (rows.length === 0 || signal.aborted) throw error
      break
    }
  }
  return { rows, asked }
}

/** What a backend needs to know of a vendor that wants a key. */
interface KeyedApi extends Omit<ListApi, 'headers' | 'explain'> {
  readonly url: string
  /** The variable that holds the key, named where the vendor refuses it. */
  readonly keyVariable: string
  readonly headers: (key: string) => Readonly<Record<string, string>>
  /** What an error says, from its body. */
  readonly reason: z.ZodType<string>
}

/** Result lists of such a vendor, with its address, its headers and what its errors mean. */
export function keyedList(api: KeyedApi) {
  const explain = keyedErrors(api)
  const make = ({ key, url = api.url, ...options }: KeyedListOptions): Executor =>
    listApi({ ...api, headers: api.headers(key), explain }, { url, ...options })
  return Object.assign(make, { url: api.url, headers: api.headers, explain })
}

function keyedErrors({ vendor, keyVariable, reason }: KeyedApi): ListApi['explain'] {
  return ({ status, headers, text }, now) => {
    if (status === 200) return new SearchError('failed', `${vendor} sent something other than results.`)
    const said = reason.safeParse(parseJson(text)).data?.slice(0, 300) ?? ''
    const cause = `${status} ${said}`.trim()
    const retryAfterSeconds = retryAfter(headers, now)
    if (status === 402 || status === 432 || status === 433 || (status === 400 && /\bcredits?\b/i.test(said))) {
      return new SearchError('rate-limited', `The credit at ${vendor} is used up.`, { cause, retryAfterSeconds })
    }
    if (status === 401 || status === 403) {
      return new SearchError('signed-out', `${vendor} refuses the key. Set another with ${keyVariable}.`, { cause })
    }
    if (status === 429) {
      const again = retryAfterSeconds ?? 1
      return new SearchError('rate-limited', `${vendor} receives too many requests.`, {
        cause,
        retryAfterSeconds: again,
      })
    }
    if (status === 400 || status === 422) {
      return new SearchError('invalid-request', `${vendor} refused the request.`, { cause })
    }
    if (status === 404) return new SearchError('unavailable', `${vendor} has nothing at this address.`, { cause })
    return new SearchError('unavailable', `${vendor} failed (${status}).`, { cause, retryAfterSeconds })
  }
}

/** A query of at most so many characters. */
export function shortQuery(query: string, maxCharacters: number): string {
  return cutAtWord(oneLine(query), maxCharacters)
}

/**
 * A query with the domain filters as the operators that search engines share, as many as fit: rows of other domains are
 * filtered out afterwards anyway.
 */
export function withDomains(query: string, { includeDomains = [], excludeDomains = [] }: SearchFilters): string {
  const included = includeDomains.slice(0, maxDomains).map((domain) => `site:${hostOf(domain)}`)
  const excluded = excludeDomains.slice(0, maxDomains).map((domain) => `-site:${hostOf(domain)}`)
  const only = included.length > 1 ? `(${included.join(' OR ')})` : included.join('')
  return [query, only, ...excluded].filter(Boolean).join(' ')
}

const maxDomains = 10
