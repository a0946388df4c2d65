import { SearchError } from '../../../domain/error.ts'
import type { SearchEvent, SearchRequest } from '../../../domain/search.ts'
import type { HttpReply } from '../../../lib/http-client.ts'
import { parseJson } from '../../../lib/json.ts'
import { retryAfter } from '../../../lib/retry-after.ts'
import { joinUrl } from '../../../lib/url.ts'
import { done, reportSearch } from '../../answer/events.ts'
import type { Executor } from '../../executor.ts'
import { apiBackend } from './api-backend.ts'
import { ApiClient, type ApiLimits } from './api-client.ts'
import { collectPages, type ListPage } from './collect-pages.ts'

/** What a backend needs to know of a vendor that lists pages for a key, by POST with JSON. */
export interface ListApi {
  /** Of the backend. */
  readonly name: string
  /** As errors call it. */
  readonly vendor: string
  /** The variable that holds the key, named where the vendor refuses it. */
  readonly keyVariable: string
  readonly headers: Readonly<Record<string, string>>
  readonly rowsPerPage: number
  /** Pages that one search asks for at most, each of them paid; 1 where the vendor has no pages. */
  readonly maxPages: number
  /** A page, the first of which is 0. */
  readonly call: (request: SearchRequest, page: number, now: Date) => { readonly path: string; readonly body: object }
  /** Reads a reply; `undefined` for something other than results. */
  readonly read: (body: unknown) => ListPage | undefined
  /** What an error says, from its body. */
  readonly reason: (body: unknown) => string | undefined
}

/** What each of these backends is made with. */
export interface ListApiOptions extends ApiLimits {
  readonly key: string
  /** Of csp. */
  readonly version: string
  /** By default the vendor's own. */
  readonly url?: string | undefined
  readonly now?: (() => Date) | undefined
}

/** Result lists of a vendor's API. Nothing is written: see `answering()`. */
export function listApi(
  { name, vendor, headers, rowsPerPage, maxPages, call, read, ...api }: ListApi,
  { key, version, url = '', now = () => new Date(), ...limits }: ListApiOptions,
): Executor {
  const client = new ApiClient(vendor, version, limits)

  async function* search(request: SearchRequest, signal: AbortSignal): AsyncGenerator<SearchEvent> {
    const first = Math.round((request.cursor ?? 0) / rowsPerPage)
    const all = Array.from({ length: maxPages }, (_, index) => first + index)
    // Without pages there is nothing behind the first rows.
    const pages = maxPages === 1 && first > 0 ? [] : all
    const { rows, asked } = await collectPages(request, pages, (page) => askFor(request, page, signal), now, signal)
    yield* reportSearch('search-1', request.query, rows)
    yield done({ searches: asked, model: name })
  }

  async function askFor(request: SearchRequest, page: number, signal: AbortSignal): Promise<ListPage> {
    const { path, body } = call(request, page, now())
    const reply = await client.ask({ url: joinUrl(url, path), headers, body }, signal)
    if (reply.status !== 200) throw explainList({ vendor, ...api }, reply, now())
    const found = read(parseJson(reply.text))
    if (!found) throw new SearchError('failed', `${vendor} sent something other than results.`)
    return found
  }

  return apiBackend({ name, now, supports: ({ want }) => want === 'results', search })
}

/** What an error of such an API means. */
export function explainList(
  { vendor, keyVariable, reason }: Pick<ListApi, 'vendor' | 'keyVariable' | 'reason'>,
  { status, headers, text }: HttpReply,
  now: Date,
): SearchError {
  const said = reason(parseJson(text))?.slice(0, 300) ?? ''
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
    return new SearchError('rate-limited', `${vendor} was asked too fast.`, { cause, retryAfterSeconds: again })
  }
  if (status === 400 || status === 422) {
    return new SearchError('invalid-request', `${vendor} refused the request.`, { cause })
  }
  if (status === 404) return new SearchError('unavailable', `${vendor} has nothing at this address.`, { cause })
  return new SearchError('unavailable', `${vendor} failed (${status}).`, { cause, retryAfterSeconds })
}

/** A query of at most so many characters, cut between two words where that is possible. */
export function shortQuery(query: string, maxCharacters: number): string {
  const text = query.trim().replace(/\s+/g, ' ')
  if (text.length <= maxCharacters) return text
  const cut = text.lastIndexOf(' ', maxCharacters)
  return text.slice(0, cut > 0 ? cut : maxCharacters).toWellFormed()
}
