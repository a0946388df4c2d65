import { attended } from '@csp/lib/attended'
import type { PageErrorCode } from '@csp/page-reader/page-error'
import { SearchError, toSearchError } from '../../domain/error.ts'
import type { SearchEvent, SearchEvents, SearchRequest, Usage } from '../../domain/search.ts'
import { writtenPageCode } from '../../domain/unread-pages.ts'
import type { PageOutcome, Reply } from '../dialect.ts'
import type { Sent } from './body.ts'
import { commandClient } from './client-name.ts'
import type { Envelope, Failure } from './failure.ts'
import { causeChain, type FailureReport, reportFailure } from './failure-report.ts'
import type { KnownKey } from './known-key.ts'
import type { RequestLog } from './request-log.ts'
import { type RequestNote, RequestTrace } from './trace.ts'

export interface ExchangeOptions {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly sent: Sent
  readonly envelope: Envelope
  readonly now: () => Date
  /** The program that asks. */
  readonly client?: string | undefined
  readonly log?: ((entry: RequestLog) => void) | undefined
  /** Receives debug reports about the request. Absent: no debug log. */
  readonly note?: ((note: RequestNote) => void) | undefined
  readonly connection?: Connection | undefined
  /** The caller's own, for other csps that work for the request. */
  readonly traceparent?: string | undefined
}

/** The connection that a request came on, where the runtime cuts those that are silent for long. */
export interface Connection {
  /** Whether there is room for a request of this caller: otherwise csp has almost as many files open as it may. */
  admit?(caller: string): boolean
  /** The request is whole, and its answer may take as long as a search takes. */
  keepOpen(): void
  /** The answer is there: silence is silence again. */
  release(): void
}

/** Hono's variables: every handler finds its exchange there. */
export interface AppEnvironment {
  Variables: { exchange: Exchange }
  Bindings: { connection?: Connection | undefined }
}

type CacheNote = Extract<SearchEvent, { type: 'cache' }>

/** One request and its reply: who it is, how long it has taken, and what has been seen of its search. */
export class Exchange {
  readonly id: string
  readonly createdAt: Date
  readonly sent: Sent
  /** The error envelope for this client. */
  envelope: Envelope
  readonly #options: ExchangeOptions
  /** Who asks, where it is known: the search goes on this name. */
  caller: string | undefined
  /** The accepted key, where one is needed, and the one that stands in the body or the query string. */
  key: KnownKey | undefined
  presentedKey: string | undefined
  /** Whether the client folds what is streamed to it, as an edge does for a client of its own. */
  isWhole = false
  /** Whether the reply is a stream, which reports its own end. */
  isStreamed = false
  #cache: CacheNote | undefined
  #backend: string | undefined
  #searchModel: string | undefined
  #searchMs: number | undefined
  #upstreamModel: string | undefined
  #upstreamCalls = 0
  #results: number | undefined
  readonly #pages = new PageNotes()
  #done: { readonly usage: Usage; readonly model: string } | undefined
  #code: Failure['code'] | undefined
  #failure: FailureReport | undefined
  #requests: readonly SearchRequest[] = []
  /** Made for a search only. */
  #trace: RequestTrace | undefined

  constructor(options: ExchangeOptions) {
    this.#options = options
    this.id = options.id
    this.sent = options.sent
    this.envelope = options.envelope
    this.createdAt = options.now()
  }

  /** Whole milliseconds since the request came. */
  readonly elapsedMs = (): number => Math.max(0, Math.round(this.#options.now().getTime() - this.createdAt.getTime()))

  reply<Input>(input: Input): Reply<Input> {
    const { id, createdAt, elapsedMs } = this
    return { id, createdAt, elapsedMs, input }
  }

  /** The model that writes in the csp that answers, where a request names none; known once it has begun. */
  get defaultModel(): string | undefined {
    return this.#trace?.remoteDefaultModel
  }

  /** Where the answer came from, once it has begun. */
  get cache(): CacheNote | undefined {
    return this.#cache
  }

  /** Passes the events of a search on, and notes what headers and log say of them. Throws nothing but `SearchError`. */
  observe(begin: () => AsyncIterable<SearchEvent>): SearchEvents {
    return attended(() => {
      this.#options.connection?.keepOpen()
      const items = { [Symbol.asyncIterator]: () => begin()[Symbol.asyncIterator]() }
      return { items, onItem: (event) => this.#note(event), failure: toSearchError }
    })
  }

  #note(event: SearchEvent): void {
    if (event.type === 'cache') this.#cache = event
    else if (event.type === 'backend') this.#backend = event.name
    else this.#searchMs ??= this.elapsedMs()
    if (event.type === 'search-start' && fitsHeader.test(event.model ?? '')) this.#searchModel ??= event.model
    if (event.type === 'search-results') this.#results = (this.#results ?? 0) + event.results.length
    else if (event.type === 'done') this.#done = event
  }

  /** Serves the request, where csp has room for one of this caller. */
  admitted<Served>(serve: () => Served): Served {
    if (this.#options.connection?.admit?.(this.caller ?? '') !== false) return serve()
    throw new SearchError('unavailable', 'csp has almost no files and connections left.', { retryAfterSeconds: 1 })
  }

  /** The reply may take as long as it takes. */
  keepOpen(): void {
    this.#options.connection?.keepOpen()
  }

  upstreamAnswered(): void {
    this.#upstreamCalls++
  }

  /** Notes the upstream of the gateway that serves the request, however long that takes, and its name of the model. */
  upstream(name: string, model: string): void {
    this.#options.connection?.keepOpen()
    this.#backend = name
    this.#upstreamModel = model
  }

  /** Notes what only debugging needs. */
  note(message: string, error?: unknown): void {
    const { note } = this.#options
    note?.({ id: this.id, message, causes: error === undefined ? undefined : causeChain(error, this.#requests) })
  }

  /** Waits for pages, and notes what the log says of them. */
  async observePages(read: Promise<readonly PageOutcome[]>): Promise<readonly PageOutcome[]> {
    this.#options.connection?.keepOpen()
    const outcomes = await read
    const failed = outcomes.flatMap(({ error }) => error ?? [])
    this.#pages.add(outcomes)
    for (const error of failed) this.note('A page could not be read', error)
    return outcomes
  }

  /** Notes what is searched for, and gives the trace that goes along. */
  asked(requests: readonly SearchRequest[]): RequestTrace {
    this.#requests = requests
    const { now, traceparent } = this.#options
    this.#trace ??= new RequestTrace({
      id: this.id,
      traceparent,
      now: () => now().getTime(),
      note: (message, error) => this.note(message, error),
    })
    return this.#trace
  }

  /** Notes why the request failed, for the log. */
  failed(code: Failure['code'], error: unknown): void {
    this.#code = code
    this.#failure = reportFailure(error, this.#requests)
    if (this.#failure) this.note('The request failed', error)
  }

  /** Notes that the client went away before the end of a stream. */
  left(): void {
    this.#code ??= 'cancelled'
  }

  /** The headers of the reply, as far as its search has come. A stream cannot know its total beforehand. */
  headers(isStream: boolean): Readonly<Record<string, string>> {
    const cache = this.#cache
    const asked = this.#trace?.backendsAsked ?? []
    const timings = [
      ...(cache ? [`cache;desc=${cache.status}`] : []),
      ...((this.#searchMs !== undefined && this.#trace?.timings(this.#searchMs)) || []),
      ...(isStream ? [] : [`total;dur=${this.elapsedMs()}`]),
    ]
    return {
      'x-request-id': this.id,
      'cache-control': 'no-store',
      // Otherwise a proxy may hold a stream back until its end.
      ...(isStream && { 'x-accel-buffering': 'no' }),
      ...(cache && { 'x-cache': cache.status, age: String(cache.ageSeconds) }),
      ...(cache?.reason && { 'x-csp-stale-reason': cache.reason }),
      ...(this.#backend && { 'x-csp-backend': this.#backend }),
      ...(asked.length > 1 && { 'x-csp-asked': asked.join(', ') }),
      ...this.#pages.headers,
      ...(this.#searchModel && { 'x-csp-search-model': this.#searchModel }),
      ...(timings.length > 0 && { 'server-timing': timings.join(', ') }),
    }
  }

  /** Logs the request, when its reply has ended. */
  finish(status: number): void {
    const { method, path, log, connection, client } = this.#options
    connection?.release()
    if (!log) return
    const ms = this.elapsedMs()
    log({
      id: this.id,
      method,
      path: withoutAddress(path),
      dialect: this.envelope.name,
      status,
      code: this.#code,
      cache: this.#cache?.status,
      ms,
      results: this.#results,
      ...this.#pages.forLog,
      // The name of a caller without a key is temporary.
      caller: this.caller?.startsWith('anonymous') ? undefined : this.caller,
      client: this.key?.isLocal ? commandClient : client,
      backend: this.#backend,
      staleReason: this.#cache?.reason,
      failure: this.#failure,
      ...(this.#upstreamCalls > 0 && { upstreamCalls: this.#upstreamCalls }),
      ...(this.#upstreamModel !== undefined && { model: this.#upstreamModel }),
      ...this.#spent(ms),
    })
  }

  #spent(ms: number): Partial<RequestLog> {
    const [request] = this.#requests
    if (!request || !this.#trace) return {}
    const { want, effort, research } = request
    const done = this.#done
    // An answer from the cache reports what it cost when it was made.
    const usage = this.#cache && this.#cache.status !== 'miss' ? nothing : done?.usage
    const isReport = research === undefined ? undefined : true
    return { want, effort, isReport, model: done?.model || undefined, ...usage, ...this.#trace.summary(ms) }
  }
}

/** The logged path, without page addresses and queries, also in a misspelt path. */
function withoutAddress(path: string): string {
  const start = path.search(/(?<=(?:\/|%2f)(?:r|jina)(?:\/|%2f))[\s\S]|https?(?::|%3a)/i)
  return start < 0 ? path : `${path.slice(0, start)}…`
}

/** The name of a model comes from a configuration, perhaps another machine's. */
const fitsHeader = /^[\x21-\x7e]{1,200}$/

const nothing: Usage = { searches: 0, inputTokens: 0, outputTokens: 0 }

/** What came of the pages that a request asked for, in their order. Never their addresses. */
class PageNotes {
  readonly #codes: (PageErrorCode | undefined)[] = []

  add(outcomes: readonly PageOutcome[]): void {
    this.#codes.push(...outcomes.map(({ error }) => error?.code))
  }

  get headers(): Readonly<Record<string, string>> {
    const said = this.#codes.slice(0, maxNamed).map((code) => (code ? writtenPageCode(code) : 'read'))
    return said.length > 0 ? { 'x-csp-pages': said.join(', ') } : {}
  }

  get forLog(): Pick<RequestLog, 'pages' | 'unread' | 'unreadCodes'> {
    if (this.#codes.length === 0) return {}
    const codes = this.#codes.filter((code) => code !== undefined)
    const unread = codes.length > 0 && { unread: codes.length, unreadCodes: [...new Set(codes)] }
    return { pages: this.#codes.length - codes.length, ...unread }
  }
}

/** Proxies take 4 KB of headers, or a little more. */
const maxNamed = 100
