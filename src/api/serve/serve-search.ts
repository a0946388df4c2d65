import { evidenceText } from '@csp/evidence/evidence'
import type { Gateway } from '@csp/gateway/gateway'
import type { UpstreamCall } from '@csp/gateway/upstream'
import { attended } from '@csp/lib/attended'
import type { PageReader } from '@csp/page-reader/page-reader'
import type { Context, Handler } from 'hono'
import { collect, sourcesOf } from '../../domain/answer.ts'
import type { Jobs } from '../../domain/job.ts'
import { type ModelMap, unknownModelNote } from '../../domain/model.ts'
import type { Answer, SearchEvents, SearchRequest } from '../../domain/search.ts'
import { uncheckedKeywords } from '../../executor/answer/json/shape.ts'
import type { Executor } from '../../executor/executor.ts'
import type { Meter } from '../../executor/layers/metering/budget.ts'
import { modelHeader } from '../../executor/wire/headers.ts'
import type { Dialect, FoundPagesWish, Reply } from '../dialect.ts'
import type { AppEnvironment, Exchange } from '../exchange/exchange.ts'
import { withHeaderWishes } from '../fields/excerpts.ts'
import { failureOf } from '../http/failure-of.ts'
import { jsonReply } from '../http/json-reply.ts'
import { unreadFields } from '../http/unread.ts'
import { validate } from '../http/validate.ts'
import { cacheWish } from './cache-wish.ts'
import { estimatePromptTokens, withEstimatedUsage } from './estimate.ts'
import { unlessRefused } from './model-refusal.ts'
import { withNamedPages } from './named-pages.ts'
import { pageCacheWish, pagesByUrl, readFoundPages } from './read-pages.ts'
import { searchAll } from './search-all.ts'
import { streamReply } from './stream-reply.ts'

export interface RouteOptions {
  readonly executor: Executor
  /** Absent if no page is read. */
  readonly pages?: PageReader | undefined
  /** Answers in the background. Absent: requests for that are refused. */
  readonly jobs?: Jobs | undefined
  /** Models of other providers behind the Messages API. */
  readonly gateway?: Gateway | undefined
  /** Called with what each reply of an upstream cost. */
  readonly onUpstreamCall?: ((call: UpstreamCall) => void) | undefined
  /** Counts what upstreams are sent; the executor counts by itself. */
  readonly meter?: Meter | undefined
  /** The version of csp, which MCP names. */
  readonly version: string
  /** As they are now: those that the CLI offers come in. */
  readonly models: () => ModelMap
  /** The model that writes where a request names none. */
  readonly defaultModel?: string | undefined
  readonly maximumBodyBytes: number
  /** The interval of heartbeats on a silent stream. */
  readonly heartbeatMs: number
  /** How long a stream may hold back its status while it waits for its first frame. */
  readonly commitAfterMs: number
  /** How long the reader of a stream may take nothing before it is cut off. Absent: a minute. */
  readonly maxUnreadMs?: number | undefined
}

/**
 * Answers a request in one dialect: read, validate, parse, search, then fold or stream. Throws
 * failures before the reply has begun.
 */
export function serve<Input>(dialect: Dialect<Input>, options: RouteOptions): Handler<AppEnvironment> {
  return async (context) => {
    const exchange = context.get('exchange')
    const { raw } = context.req
    const sent = await exchange.sent.input(options.maximumBodyBytes)
    const input = validate(dialect.schema, sent)
    const parsed = [dialect.parse(input, options.models(), raw.headers)].flat()
    const passages = dialect.passagesFields?.(input) ?? []
    const named = await withNamedPages(parsed, dialect, input, raw, options.pages, exchange)
    const requests = named.requests.map((request) => withHeaderWishes(request, raw.headers, passages.length > 0))
    const work = new AbortController()
    const signal = AbortSignal.any([raw.signal, work.signal])
    const isNeeded = requests.length > 0
    const trace = isNeeded ? exchange.asked(requests) : undefined
    const { stream } = dialect
    const isStreamed = stream?.wanted(input) ?? false
    const isWhole = exchange.isWhole || !isStreamed
    const wish = dialect.pages?.(input)
    const readsPages = wish !== undefined && options.pages !== undefined
    const cache = cacheWish(raw.headers)
    const search = { signal, cache, caller: exchange.caller, trace, isWhole, readsPages }
    const promptTokens = requests.reduce((sum, request) => sum + promptTokensOf(request), 0)
    const counted = isNeeded ? exchange.observe(() => searchAll(options.executor, requests, search)) : withoutSearch()
    const estimated = dialect.keepsUsage || promptTokens === 0 ? counted : withEstimatedUsage(counted, promptTokens)
    const events = dialect.tellsRefusals ? estimated : unlessRefused(estimated, requests)
    const reply: Reply<Input> = {
      ...exchange.reply(input),
      named: named.outcomes,
      promptTokens,
      get cache() {
        return exchange.cache
      },
      // Another csp that answers says which, when its answer begins.
      get defaultModel() {
        return exchange.defaultModel ?? options.defaultModel
      },
    }
    for (const [name, value] of Object.entries(dialect.headers ?? {})) context.header(name, value)
    const unread = options.pages ? [] : [...(wish?.field ? [wish.field] : []), ...passages]
    const unchecked = requests.flatMap(({ schema }) => (schema ? uncheckedKeywords(schema) : []))
    nameIgnored(context, dialect, input, sent, [...unread, ...unchecked])
    nameModel(context, dialect.model?.(input, options.models()), options)
    if (!stream || !isStreamed) {
      const answer = await collect(events)
      if (answer.evidence) context.header('x-csp-evidence', evidenceText(answer.evidence))
      if (answer.receipt) context.header('x-csp-receipt', answer.receipt.id)
      const isRecalled = answer.backend === 'memory'
      const seen = isRecalled ? sourcesOf(answer.searches).flatMap(({ seenAt }) => seenAt?.slice(0, 10) ?? []) : []
      if (seen.length > 0) context.header('x-csp-seen', seen.slice(0, maxSeenDates).join(', '))
      const missing = missingRows(requests, answer)
      if (missing > 0) context.header('x-csp-missing', String(missing))
      const pages = wish && (await pagesOf(answer, wish, options, exchange, { signal, headers: raw.headers }))
      return jsonReply(context, await dialect.format(answer, { ...reply, pages }))
    }
    let framesSent = 0
    const { heartbeatMs, maxUnreadMs, commitAfterMs } = options
    return streamReply(context, {
      frames: attended(() => ({ items: stream.format(events, reply), onItem: () => framesSent++ })),
      framing: stream.framing?.(),
      heartbeatMs,
      maxUnreadMs,
      commitAfterMs,
      onError(error) {
        const failure = failureOf(error)
        exchange.failed(failure.code, error)
        return stream.formatError(failure, reply, framesSent)
      },
      stop: () => work.abort(),
    })
  }
}

/** Servers and proxies bound headers. */
const maxSeenDates = 100

interface PagesContext {
  readonly signal: AbortSignal
  readonly headers: Headers
}

/** The pages of an answer that a client wants; `undefined` if this server reads none. */
async function pagesOf(
  answer: Answer,
  wish: FoundPagesWish,
  { pages }: RouteOptions,
  exchange: Exchange,
  { signal, headers }: PagesContext,
): Promise<Reply<unknown>['pages']> {
  if (!pages) return undefined
  const cache = pageCacheWish(headers, wish.isFresh)
  const reading = readFoundPages(pages, answer, wish, { signal, caller: exchange.caller, cache })
  return pagesByUrl(await exchange.observePages(reading))
}

/** Names in a header what the caller set and nothing reads. */
export function nameIgnored<Input>(
  context: Context<AppEnvironment>,
  dialect: Pick<Dialect<Input>, 'schema' | 'ignored'>,
  input: Input,
  sent: unknown,
  more: readonly string[] = [],
): void {
  const names = [...more, ...(dialect.ignored?.(input) ?? []), ...unreadFields(dialect.schema, sent)]
  const ignored = [...new Set(names)].slice(0, maxIgnored)
  if (ignored.length > 0) context.header('x-csp-ignored', ignored.join(', '))
}

/** A header has its limits. */
const maxIgnored = 50

/** Says in a header what serves a model name that means nothing here. */
export function nameModel(
  context: Context<AppEnvironment>,
  name: string | undefined,
  { models, defaultModel }: Pick<RouteOptions, 'models' | 'defaultModel'>,
): void {
  const note = name === undefined ? undefined : unknownModelNote(name, models(), defaultModel)
  if (note !== undefined && /^[\x20-\x7e]+$/.test(note)) context.header(modelHeader, note)
}

/** How many results of those that the caller counted were not found. */
function missingRows(requests: readonly SearchRequest[], { searches }: Answer): number {
  const isList = requests.every(({ want }) => want === 'results')
  const wanted = requests.reduce((sum, { limit = 0 }) => sum + limit, 0)
  return isList ? wanted - searches.reduce((sum, { results }) => sum + results.length, 0) : 0
}

/** A list of results shows no tokens. */
function promptTokensOf(request: SearchRequest): number {
  return request.want === 'results' ? 0 : estimatePromptTokens(request)
}

/** The events of a reply without a search. */
async function* withoutSearch(): SearchEvents {
  yield { type: 'done', reason: 'stop', usage: { searches: 0, inputTokens: 0, outputTokens: 0 }, model: '' }
}
