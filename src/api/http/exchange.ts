import { toSearchError } from '../../domain/error.ts'
import type { SearchEvent, SearchEvents } from '../../domain/search.ts'
import type { Envelope, Failure, Reply } from '../dialect.ts'

/** What is known of a request when it is over. Neither queries nor keys. */
export interface RequestLog {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly dialect: string
  readonly status: number
  /** Why it failed, if it did; a stream may fail after its status has gone out. */
  readonly code?: Failure['code'] | undefined
  readonly cache?: CacheNote['status'] | undefined
  readonly ms: number
  /** Rows found, when a search was made. */
  readonly results?: number | undefined
}

export interface ExchangeOptions {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly envelope: Envelope
  readonly now: () => Date
  readonly log?: ((entry: RequestLog) => void) | undefined
  readonly connection?: Connection | undefined
}

/** The connection that a request came on, where the runtime cuts those that are silent for long. */
export interface Connection {
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
  /** How errors are told to this client. */
  envelope: Envelope
  readonly #options: ExchangeOptions
  /** Who asks, where it is known: the search goes on this name. */
  caller: string | undefined
  #cache: CacheNote | undefined
  #backend: string | undefined
  #searchMs: number | undefined
  #results: number | undefined
  #code: Failure['code'] | undefined

  constructor(options: ExchangeOptions) {
    this.#options = options
    this.id = options.id
    this.envelope = options.envelope
    this.createdAt = options.now()
  }

  /** Whole milliseconds since the request came. */
  readonly elapsedMs = (): number => Math.max(0, Math.round(this.#options.now().getTime() - this.createdAt.getTime()))

  reply<Input>(input: Input): Reply<Input> {
    const { id, createdAt, elapsedMs } = this
    return { id, createdAt, elapsedMs, input }
  }

  /** Passes events on, and notes what the headers and the log say of them. Throws nothing but `SearchError`. */
  async *observe(events: AsyncIterable<SearchEvent>): SearchEvents {
    this.#options.connection?.keepOpen()
    try {
      for await (const event of events) {
        this.#note(event)
        yield event
      }
    } catch (error) {
      throw toSearchError(error)
    }
  }

  #note(event: SearchEvent): void {
    if (event.type === 'cache') this.#cache = event
    else if (event.type === 'backend') this.#backend = event.name
    else this.#searchMs ??= this.elapsedMs()
    if (event.type === 'search-results') this.#results = (this.#results ?? 0) + event.results.length
  }

  /** Notes what the headers of a reply say that another csp has made in our stead. */
  relayed(headers: Headers): void {
    const status = (['hit', 'stale', 'miss'] as const).find((known) => known === headers.get('x-cache'))
    const reason = headers.get('x-csp-stale-reason') ?? undefined
    if (status) this.#cache = { type: 'cache', status, ageSeconds: Number(headers.get('age')) || 0, reason }
    this.#backend = headers.get('x-csp-backend') ?? undefined
  }

  /** Notes why the request came to nothing, for the log. */
  failed(code: Failure['code']): void {
    this.#code = code
  }

  /** The headers of the reply, as far as its search has come. A stream cannot tell its total beforehand. */
  headers(whole: boolean): Readonly<Record<string, string>> {
    const cache = this.#cache
    const timings = [
      ...(cache ? [`cache;desc=${cache.status}`] : []),
      ...(this.#searchMs !== undefined ? [`search;dur=${this.#searchMs}`] : []),
      ...(whole ? [`total;dur=${this.elapsedMs()}`] : []),
    ]
    return {
      'x-request-id': this.id,
      'cache-control': 'no-store',
      ...(cache && { 'x-cache': cache.status, age: String(cache.ageSeconds) }),
      ...(cache?.reason && { 'x-csp-stale-reason': cache.reason }),
      ...(this.#backend && { 'x-csp-backend': this.#backend }),
      ...(timings.length > 0 && { 'server-timing': timings.join(', ') }),
    }
  }

  /** Logs the request, when its reply has ended. */
  finish(status: number): void {
    const { method, path, log, connection } = this.#options
    connection?.release()
    log?.({
      id: this.id,
      method,
      path,
      dialect: this.envelope.name,
      status,
      code: this.#code,
      cache: this.#cache?.status,
      ms: this.elapsedMs(),
      results: this.#results,
    })
  }
}
