import { readLimited } from '../../lib/bytes.ts'
import { parseJson } from '../../lib/json.ts'
import { withoutSecret } from '../../lib/secret.ts'
import { parseUrl, withoutLastSlashes } from '../../lib/url.ts'
import { type ErrorType, isErrorType } from '../../messages-api/error.ts'
import { abortedCall, UpstreamError } from '../../messages-api/upstream-error.ts'

export interface ConnectionOptions {
  /** With or without `/v1`: `http://localhost:11434`, `https://openrouter.ai/api/v1`. */
  readonly baseUrl: string
  /** Absent where the server asks for none. */
  readonly key?: string | undefined
  /** Until the head of a reply, in ms; ten minutes by default, since a local model may have to be loaded. */
  readonly headMs?: number | undefined
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
}

/** What goes along with a body. */
export interface SentWith {
  readonly signal: AbortSignal
  /** Of the caller's request. Only those that the API defines go on. */
  readonly headers?: Headers | undefined
  /** Of the caller's request, with its question mark. */
  readonly query?: string | undefined
}

/** Speaks HTTP with a server that has the Messages API. */
export class Connection {
  readonly baseUrl: string
  readonly #key: string | undefined
  readonly #headMs: number
  readonly #fetch: (url: string, init: RequestInit) => Promise<Response>

  constructor({ baseUrl, key, headMs = 600_000, fetch = globalThis.fetch }: ConnectionOptions) {
    this.baseUrl = withoutLastSlashes(baseUrl).replace(/\/v1\/messages$/, '/v1')
    this.#key = key
    this.#headMs = headMs
    this.#fetch = fetch
  }

  /** Whether it is the vendor's own API, which gets what is meant for it alone. */
  get isAnthropic(): boolean {
    const host = parseUrl(this.baseUrl)?.hostname ?? ''
    return host === 'api.anthropic.com' || host.endsWith('.anthropic.com')
  }

  /**
   * Sends a body to `/messages` or a path below it. Resolves with a reply of status 200, whose body is unread. Throws an
   * `UpstreamError` for every other status, and for a network that fails.
   */
  async post(path: string, body: string | Uint8Array<ArrayBuffer>, sent: SentWith): Promise<Response> {
    const { signal, query = '' } = sent
    if (signal.aborted) throw abortedCall(signal)
    const head = new AbortController()
    const timer = setTimeout(() => head.abort(), this.#headMs)
    try {
      const response = await this.#fetch(`${this.baseUrl}${/\/v1$/.test(this.baseUrl) ? '' : '/v1'}${path}${query}`, {
        method: 'POST',
        headers: this.#headers(sent.headers),
        body,
        redirect: 'manual',
        signal: AbortSignal.any([signal, head.signal]),
      })
      if (response.ok) return response
      throw await this.#failure(response)
    } catch (error) {
      if (error instanceof UpstreamError) throw error
      if (signal.aborted) throw abortedCall(signal)
      if (head.signal.aborted) {
        throw new UpstreamError(504, `${this.#place} sent no reply for ${this.#headMs / 1000} s.`, { cause: error })
      }
      const advice = 'Is it running, and is its address right?'
      throw new UpstreamError(503, `${this.#place} cannot be reached. ${advice}`, { cause: error })
    } finally {
      clearTimeout(timer)
    }
  }

  /** The status with which the server refuses a body; `undefined` when it takes it. One that is not there now throws. */
  async refusal(path: string, body: string, sent: SentWith): Promise<number | undefined> {
    try {
      const response = await this.post(path, body, sent)
      const reply = parseJson((await readLimited(response, maxErrorBytes)) ?? '')
      const said = readError(reply, this.#key)
      // Some servers have 200 for every route, also for one that they lack.
      return said.message === undefined ? undefined : 404
    } catch (error) {
      if (!(error instanceof RefusedError) || passing.includes(error.status)) throw error
      return error.status
    }
  }

  /** Without credentials, which the configuration refuses, and without a path that may hold a name. */
  get #place(): string {
    return `The upstream ${parseUrl(this.baseUrl)?.host ?? ''}`.trim()
  }

  #headers(given: Headers | undefined): Record<string, string> {
    const key = this.#key
    const version = given?.get('anthropic-version') ?? '2023-06-01'
    const beta = given?.get('anthropic-beta')
    return {
      'content-type': 'application/json',
      'anthropic-version': version,
      ...(beta && { 'anthropic-beta': beta }),
      ...(key !== undefined && { 'x-api-key': key }),
      // The vendor takes it for a login of another kind; the others read one or the other.
      ...(key !== undefined && !this.isAnthropic && { authorization: `Bearer ${key}` }),
    }
  }

  async #failure(response: Response): Promise<UpstreamError> {
    const text = (await readLimited(response, maxErrorBytes).catch(() => undefined)) ?? ''
    const body = parseJson(text)
    const { type, message } = readError(body, this.#key)
    const status = response.status >= 400 ? response.status : 502
    const said = message ?? `${this.#place} replied with status ${response.status}.`
    return new RefusedError(status, said + advice(status), {
      type,
      retryAfterSeconds: retryAfter(response.headers.get('retry-after')),
    })
  }
}

/** An error that the server itself replied with. */
class RefusedError extends UpstreamError {}

/** Of a server that starts, or is asked too much: it says nothing of what it can do. */
const passing: readonly number[] = [408, 429, 502, 503, 504, 529]

const maxErrorBytes = 64 * 1024

/** The fields of an error, in the envelope of the Messages API or another that servers use. */
export function readError(
  body: unknown,
  key: string | undefined,
): {
  readonly type?: ErrorType | undefined
  readonly message?: string | undefined
} {
  const error: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'error') : undefined
  if (typeof error === 'string') return { message: shown(error, key) }
  if (typeof error !== 'object' || error === null) return {}
  const type: unknown = Reflect.get(error, 'type')
  const message: unknown = Reflect.get(error, 'message')
  return {
    ...(isErrorType(type) && { type }),
    ...(typeof message === 'string' && { message: shown(message, key) }),
  }
}

/** Some servers repeat the key that they refuse. */
function shown(message: string, key: string | undefined): string {
  return withoutSecret(message, key).slice(0, maxMessage)
}

const maxMessage = 2000

function advice(status: number): string {
  if (status === 401 || status === 403) return ' (csp config shows which key the gateway sends there.)'
  return ''
}

function retryAfter(header: string | null): number | undefined {
  const seconds = Number(header ?? '')
  return Number.isFinite(seconds) && seconds > 0 ? Math.ceil(seconds) : undefined
}
