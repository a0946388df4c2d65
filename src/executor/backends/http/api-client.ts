import { abortError, interruptible } from '../../../domain/abort.ts'
import { SearchError } from '../../../domain/error.ts'
import { readLimited } from '../../../lib/bytes.ts'
import { RateLimiter } from '../../../lib/rate-limiter.ts'
import { withoutSecret } from '../../../lib/secret.ts'
import { parseUrl } from '../../../lib/url.ts'

/** A request to the server. */
export interface ApiCall {
  readonly url: URL
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Sent as JSON, by POST. Absent: GET. */
  readonly body?: unknown
}

/** A whole reply. */
export interface ApiReply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
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
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
}

/**
 * Asks one server over HTTP, with limits on its rate, its time and the size of its reply. A network that fails is
 * `unavailable`, a deadline `timeout`; what the server says, errors included, is for the caller to read. Keys go to
 * that server alone: a redirect is followed only within its origin.
 */
export class ApiClient {
  readonly #name: string
  readonly #version: string
  readonly #rate: RateLimiter
  readonly #deadlineMs: number
  readonly #silenceMs: number
  readonly #maximumBytes: number
  readonly #fetch: (url: string, init: RequestInit) => Promise<Response>

  /** `name`: what errors call the server. */
  constructor(name: string, version: string, limits: ApiLimits = {}) {
    const { requestsPerSecond = 2, deadlineMs = 10_000, silenceMs = 60_000, maximumBytes = 5_000_000 } = limits
    this.#name = name
    this.#version = version
    this.#rate = new RateLimiter(requestsPerSecond)
    this.#deadlineMs = deadlineMs
    this.#silenceMs = silenceMs
    this.#maximumBytes = maximumBytes
    this.#fetch = limits.fetch ?? ((url, init) => fetch(url, init))
  }

  /** Waits for the whole reply. */
  async ask(call: ApiCall, signal: AbortSignal): Promise<ApiReply> {
    return this.#within(call, this.#deadlineMs, signal, async (stop) => this.#read(call, await this.#send(call, stop)))
  }

  /**
   * Yields a reply as it comes. An unsuccessful one is passed to `explain` as a whole, and the error that it returns is
   * thrown.
   */
  async *stream(
    call: ApiCall,
    explain: (reply: ApiReply) => SearchError,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    const stop = new AbortController()
    try {
      const any = AbortSignal.any([signal, stop.signal])
      const response = await this.#within(call, this.#deadlineMs, any, (deadline) =>
        this.#send(call, AbortSignal.any([deadline, any])),
      )
      if (!response.ok) throw explain(await this.#within(call, this.#deadlineMs, any, () => this.#read(call, response)))
      const reader = response.body?.getReader()
      let bytes = 0
      while (reader) {
        const { done, value } = await this.#within(call, this.#silenceMs, any, () => reader.read())
        if (done) return
        bytes += value.byteLength
        if (bytes > this.#maximumBytes) throw this.#tooLong()
        yield value
      }
    } finally {
      stop.abort()
    }
  }

  async #send({ url, headers, body }: ApiCall, signal: AbortSignal): Promise<Response> {
    await this.#rate.turn(signal)
    const init: RequestInit = {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        accept: 'application/json',
        'user-agent': `claude-search-proxy/${this.#version} (+csp; a search proxy on its user's own machine)`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      redirect: 'manual',
      signal,
    }
    let at = url
    for (let hops = 0; hops <= maxHops; hops++) {
      const response = await this.#fetch(at.href, init)
      const target = response.headers.get('location')
      if (response.status < 300 || response.status >= 400 || target === null) return response
      await response.body?.cancel()
      const next = parseUrl(target, at)
      if (next?.origin !== url.origin || body !== undefined) throw this.#strayed(url, next)
      at = next
    }
    throw new SearchError('unavailable', `${this.#name} at ${url.host} redirects without end.`)
  }

  #strayed(url: URL, next: URL | null): SearchError {
    const where = next ? next.origin : 'somewhere else'
    return new SearchError(
      'unavailable',
      `${this.#name} at ${url.host} sends csp on to ${where}, and it does not follow. Is the address right?`,
    )
  }

  #tooLong(): SearchError {
    return new SearchError('failed', `${this.#name} sent more than csp reads.`)
  }

  async #read({ headers = {} }: ApiCall, response: Response): Promise<ApiReply> {
    const text = await readLimited(response, this.#maximumBytes)
    if (text === undefined) throw this.#tooLong()
    // Some servers repeat the key that they refuse.
    const shown = response.ok ? text : secretsIn(headers).reduce(withoutSecret, text)
    return { status: response.status, headers: response.headers, text: shown }
  }

  /**
   * Limits the time of the work, and distinguishes its failures: the caller left, the deadline passed, the network
   * failed.
   */
  async #within<T>(
    { url }: ApiCall,
    milliseconds: number,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    if (signal.aborted) throw abortError(signal)
    const deadline = new AbortController()
    const timer = setTimeout(() => deadline.abort(), milliseconds)
    const leave = (): void => deadline.abort()
    signal.addEventListener('abort', leave, { once: true })
    try {
      return await interruptible(work(deadline.signal), deadline.signal)
    } catch (error) {
      if (signal.aborted) throw abortError(signal)
      if (deadline.signal.aborted) {
        const words = `${this.#name} at ${url.host} said nothing for ${milliseconds / 1000} s.`
        throw new SearchError('timeout', words, { cause: error })
      }
      if (error instanceof SearchError) throw error
      throw new SearchError('unavailable', `${this.#name} at ${url.host} cannot be reached.`, { cause: error })
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', leave)
    }
  }
}

const maxHops = 3

function secretsIn(headers: Readonly<Record<string, string>>): readonly string[] {
  const named = Object.entries(headers).filter(([name]) => /key|token|^authorization$/.test(name))
  return named.map(([, value]) => value.replace(/^Bearer /, ''))
}
