import { bodyText, type Fetch, HttpFailure, openReply } from '@csp/lib/http-client'
import { parseJson } from '@csp/lib/json'
import { retryAfter } from '@csp/lib/retry-after'
import { withoutLastSlashes } from '@csp/lib/url'
import { abortedCall, UpstreamError } from '@csp/messages-api/upstream-error'
import { errorWithin } from '../catalogue/error-within.ts'
import { explain } from '../catalogue/explain.ts'
import { ProviderReplyError } from '../translation/provider-error.ts'

export interface ConnectionOptions {
  /** With or without `/v1`: `http://localhost:11434`, `https://openrouter.ai/api/v1`. */
  readonly baseUrl: string
  /** Absent if the server asks for none. */
  readonly key?: string | undefined
  /** What no error repeats, beside the key. */
  readonly secrets?: readonly string[] | undefined
  /** Until the head of a reply, in ms; ten minutes by default, since a local model may have to be loaded. */
  readonly headMs?: number | undefined
  readonly fetch?: Fetch | undefined
}

/** The signal, headers and query string that go with a body. */
export interface SentWith {
  readonly signal: AbortSignal
  /** The two headers of the caller's request that the API defines. */
  readonly version?: string | null | undefined
  readonly beta?: string | null | undefined
  /** The query string of the caller's request, with its question mark. */
  readonly query?: string | undefined
}

/** Speaks HTTP with a server that has the Messages API. */
export class Connection {
  readonly baseUrl: string
  readonly #key: string | undefined
  readonly #secrets: readonly string[] | undefined
  readonly #headMs: number
  readonly #fetch: Fetch | undefined

  constructor({ baseUrl, key, secrets, headMs = 600_000, fetch }: ConnectionOptions) {
    this.baseUrl = withoutLastSlashes(baseUrl).replace(/\/v1\/messages$/, '/v1')
    this.#key = key
    this.#secrets = secrets
    this.#headMs = headMs
    this.#fetch = fetch
  }

  /** Whether it is the vendor's own API, which gets what is meant for it alone. */
  get isAnthropic(): boolean {
    const { hostname: host } = new URL(this.baseUrl)
    return host === 'api.anthropic.com' || host.endsWith('.anthropic.com')
  }

  /**
   * Sends a body to `/messages` or a path below it. Resolves with a reply of status 200, whose body is unread. Throws a
   * `ProviderReplyError` for every other status, and an `UpstreamError` for a network that fails.
   */
  async post(path: string, body: string | Uint8Array<ArrayBuffer>, sent: SentWith): Promise<Response> {
    const { signal, query = '' } = sent
    const url = new URL(`${this.baseUrl}${/\/v1$/.test(this.baseUrl) ? '' : '/v1'}${path}${query}`)
    const headers = this.#headers(sent)
    const call = { url, headers, body, signal, deadlineMs: this.#headMs, fetch: this.#fetch }
    try {
      return await openReply(call, ({ status, headers, text }) => {
        const retryAfterSeconds = retryAfter(headers, new Date())
        return new ProviderReplyError({ status, body: text, retryAfterSeconds })
      })
    } catch (error) {
      throw error instanceof HttpFailure ? this.#unanswered(error, signal) : error
    }
  }

  /** Reads the JSON of a reply that does not stream. */
  async read(response: Response, signal: AbortSignal): Promise<unknown> {
    try {
      return parseJson(await bodyText(response, { signal, silenceMs: () => this.#headMs, maxBytes: maxReplyBytes }))
    } catch (error) {
      throw toStreamError(error, signal, this.#headMs)
    }
  }

  /** The status with which the server refuses a body; `undefined` when it takes it. One that is not there now throws. */
  async refusal(path: string, body: string, sent: SentWith): Promise<number | undefined> {
    try {
      const response = await this.post(path, body, sent)
      // Some servers have 200 for every route, also for one that they lack.
      return errorWithin(await this.read(response, sent.signal)) === undefined ? undefined : 404
    } catch (error) {
      if (!(error instanceof ProviderReplyError)) throw error
      const { status } = error.failure
      if (passing.includes(status)) throw this.explained(error)
      return status
    }
  }

  /**
   * An error in a status and words that clients know, which the vendor's own already has. Anything but an error that the server
   * replied with is returned as it is.
   */
  explained(error: unknown): unknown {
    if (!(error instanceof ProviderReplyError)) return error
    const name = this.#place
    return explain(error.failure, { name, key: this.#key, secrets: this.#secrets, isVendor: this.isAnthropic })
  }

  /** Without credentials, which the configuration refuses, and without a path that may hold a name. */
  get #place(): string {
    return `The upstream ${new URL(this.baseUrl).host}`
  }

  #headers({ version, beta }: SentWith): Record<string, string> {
    const key = this.#key
    return {
      'content-type': 'application/json',
      'anthropic-version': version ?? '2023-06-01',
      ...(beta && { 'anthropic-beta': beta }),
      ...(key !== undefined && { 'x-api-key': key }),
      // The vendor takes it for a login of another kind; the others read one or the other.
      ...(key !== undefined && !this.isAnthropic && { authorization: `Bearer ${key}` }),
    }
  }

  #unanswered({ kind, status, cause }: HttpFailure, signal: AbortSignal): UpstreamError {
    if (kind === 'aborted') return abortedCall(signal)
    if (kind === 'strayed')
      return new UpstreamError(502, `${this.#place} replied with status ${status ?? 302}, which csp does not follow.`)
    if (kind === 'timeout')
      return new UpstreamError(504, `${this.#place} sent no reply for ${this.#headMs / 1000} s.`, { cause })
    const question = 'Is it running, and is its address right?'
    return new UpstreamError(503, `${this.#place} cannot be reached. ${question}`, { cause })
  }
}

/** A server that starts or is overloaded: this says nothing of what it can do. */
const passing: readonly number[] = [408, 429, 502, 503, 504, 529]

const maxReplyBytes = 64 * 1024 * 1024

/** Converts the error of a body that broke off. */
export function toStreamError(error: unknown, signal: AbortSignal, silenceMs: number): UpstreamError {
  if (error instanceof UpstreamError) return error
  const kind = error instanceof HttpFailure ? error.kind : undefined
  if (kind === 'aborted') return abortedCall(signal)
  if (kind === 'silent') return new UpstreamError(504, `The upstream sent nothing for ${silenceMs / 1000} s.`)
  if (kind === 'too-long') return new UpstreamError(502, 'The reply of the upstream is too large.')
  return new UpstreamError(502, 'The connection to the upstream broke in the middle of its reply.', { cause: error })
}
