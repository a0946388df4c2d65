import {
  askWhole,
  type Fetch,
  type HttpCall,
  HttpFailure,
  type HttpReply,
  openReply,
  pieces,
} from '@csp/lib/http-client'
import { Starter, startsPerSecond } from '@csp/lib/rate-limiter'
import { abortError } from '../../../domain/abort.ts'
import { SearchError } from '../../../domain/error.ts'

/** A request to the server. */
export interface ApiCall {
  readonly url: URL
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Sent as JSON, by POST. Absent: GET. */
  readonly body?: unknown
}

export interface ApiLimits {
  /** Requests begun in a second; 2 by default. 0: no limit. */
  readonly requestsPerSecond?: number | undefined
  /**
   * For a whole reply, or for the head of one that streams; 10 s by default. It includes the wait for the rate limit.
   */
  readonly deadlineMs?: number | undefined
  /** Between two pieces of a reply that streams; a minute by default. */
  readonly silenceMs?: number | undefined
  /** Size of a whole reply in bytes; 5 MB by default. */
  readonly maximumBytes?: number | undefined
  /** By default the runtime's own. */
  readonly fetch?: Fetch | undefined
}

/**
 * Asks one server over HTTP, with limits on its rate, its time and the size of its reply. A network that fails is
 * `unavailable`, a deadline `timeout`; what the server says, errors included, is for the caller to read.
 */
export class ApiClient {
  readonly #name: string
  readonly #version: string
  /** Absent: there is no limit. */
  readonly #starter: Starter | undefined
  readonly #limits: Readonly<Record<'deadlineMs' | 'silenceMs' | 'maximumBytes', number>>
  readonly #fetch: Fetch | undefined

  /** `name`: what errors call the server. */
  constructor(name: string, version: string, limits: ApiLimits = {}) {
    const { requestsPerSecond = 2, deadlineMs = 10_000, silenceMs = 60_000, maximumBytes = 5_000_000 } = limits
    this.#name = name
    this.#version = version
    this.#starter = requestsPerSecond > 0 ? new Starter(startsPerSecond(requestsPerSecond)) : undefined
    this.#limits = { deadlineMs, silenceMs, maximumBytes }
    this.#fetch = limits.fetch
  }

  /** Waits for the whole reply. */
  async ask(call: ApiCall, signal: AbortSignal): Promise<HttpReply> {
    try {
      return await askWhole(this.#toHttp(call, signal), this.#limits.maximumBytes)
    } catch (error) {
      throw this.#explained(error, call, signal)
    }
  }

  /**
   * Yields a reply as it comes. An unsuccessful one is passed to `explain` as a whole, and the error that it returns is
   * thrown.
   */
  async *stream(
    call: ApiCall,
    explain: (reply: HttpReply) => SearchError,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    const { silenceMs, maximumBytes } = this.#limits
    try {
      const { body } = await openReply(this.#toHttp(call, signal), explain)
      if (body) yield* pieces(body, { signal, silenceMs: () => silenceMs, maxBytes: maximumBytes })
    } catch (error) {
      throw this.#explained(error, call, signal)
    }
  }

  #toHttp({ url, headers, body }: ApiCall, signal: AbortSignal): HttpCall {
    return {
      url,
      headers: {
        accept: 'application/json',
        'user-agent': `claude-search-proxy/${this.#version} (+csp; a search proxy on its user's own machine)`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
      deadlineMs: this.#limits.deadlineMs,
      start: async (until) => this.#starter?.start(until),
      fetch: this.#fetch,
    }
  }

  #explained(error: unknown, { url }: ApiCall, signal: AbortSignal): unknown {
    if (!(error instanceof HttpFailure)) return error
    if (signal.aborted) return abortError(signal)
    const { kind, message, cause } = error
    const place = `${this.#name} at ${url.host}`
    if (kind === 'too-long') return new SearchError('failed', `${this.#name} sent more than csp reads.`)
    if (kind === 'strayed')
      return new SearchError('unavailable', `${place} ${message}`, {
        forOthers: `${place} sends csp on to another address. Is its own right?`,
      })
    if (kind !== 'timeout' && kind !== 'silent') {
      return new SearchError('unavailable', `${place} cannot be reached.`, { cause })
    }
    const { deadlineMs, silenceMs } = this.#limits
    const seconds = (kind === 'timeout' ? deadlineMs : silenceMs) / 1000
    return new SearchError('timeout', `${place} sent nothing for ${seconds} s.`, { cause })
  }
}
