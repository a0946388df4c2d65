import { chunks, readLimited } from '../../lib/bytes.ts'
import { eventData } from '../../lib/event-stream.ts'
import { parseJson } from '../../lib/json.ts'
import { retryAfter } from '../../lib/retry-after.ts'
import { withoutLastSlashes } from '../../lib/url.ts'
import { UpstreamError } from '../../messages-api/upstream-error.ts'
import { ProviderReplyError } from './provider-error.ts'

export interface ProviderClientOptions<Item> {
  readonly baseUrl: string
  /** Of the API, below the base URL. */
  readonly path: string
  /** What stands in the data of an event, or in a whole reply. */
  readonly item: (data: string) => Item
  readonly headers: Readonly<Record<string, string>>
  /** For the head of a reply, and between two pieces of it. */
  readonly silenceMs: number
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  readonly now: () => Date
}

/** What a stream brings; `end`: it says that it is over. */
export type ProviderItem<Item> = { readonly item: Item } | 'end'

/** Speaks to one API of one provider. */
export class ProviderClient<Item> {
  readonly #options: ProviderClientOptions<Item>
  readonly #url: URL

  constructor(options: ProviderClientOptions<Item>) {
    this.#options = options
    this.#url = urlBelow(options.baseUrl, options.path)
  }

  /**
   * Sends a request and yields its reply. A failure of the provider's throws `ProviderReplyError`, one of the network
   * `UpstreamError`. Silence aborts `stop`; when that has aborted, for whatever reason, the stream ends.
   */
  async *send(
    body: string,
    stop: AbortController,
    silenceMs: () => number,
  ): AsyncGenerator<ProviderItem<Item>, void, undefined> {
    const onSilence = (): void => stop.abort(this.#silent())
    const response = await withLimit(this.#post(body, stop.signal), this.#options.silenceMs, onSilence)
    if (!response.ok) throw await this.#failureOf(response, stop.signal)
    if (!response.body) return
    if (/\bjson\b/.test(response.headers.get('content-type') ?? '')) {
      yield* this.#whole(response)
      return
    }
    const bytes = limited(chunks(response.body, stop.signal), silenceMs, onSilence)
    try {
      for await (const data of eventData(bytes, maxEventLength)) {
        if (data.trim() === '[DONE]') {
          yield 'end'
          return
        }
        yield { item: this.#options.item(data) }
      }
    } catch (error) {
      if (error instanceof ProviderReplyError || error instanceof UpstreamError) throw error
      throw new UpstreamError(502, `${this.#url.host} broke off its reply.`, { cause: error })
    }
  }

  /** What another path below the base URL says, which is JSON; `undefined` where it fails in whichever way. */
  async ask(path: string, body: string, signal: AbortSignal): Promise<unknown> {
    const { headers, fetch, baseUrl } = this.#options
    const head = { 'content-type': 'application/json', ...headers }
    const soon = AbortSignal.any([signal, AbortSignal.timeout(maxAskMs)])
    const init = { method: 'POST', headers: head, body, redirect: 'manual', signal: soon } as const
    try {
      const response = await fetch(urlBelow(baseUrl, path).href, init)
      const text = await readLimited(response, maxErrorBytes)
      return response.ok && text !== undefined ? parseJson(text) : undefined
    } catch {
      return undefined
    }
  }

  async #post(body: string, signal: AbortSignal): Promise<Response> {
    const { headers, fetch } = this.#options
    try {
      return await fetch(this.#url.href, {
        method: 'POST',
        headers: { accept: 'text/event-stream', 'content-type': 'application/json', ...headers },
        body,
        // The key goes to this server alone.
        redirect: 'manual',
        signal,
      })
    } catch (error) {
      throw new UpstreamError(502, `${this.#url.host} cannot be reached. Is it running?`, { cause: error })
    }
  }

  #silent(): UpstreamError {
    return new UpstreamError(504, `${this.#url.host} sent nothing for ${this.#options.silenceMs / 1000} s.`)
  }

  async #failureOf(response: Response, signal: AbortSignal): Promise<Error> {
    const { status, headers } = response
    if (status < 400) {
      await response.body?.cancel()
      return new UpstreamError(502, `${this.#url.host} redirects, which csp does not follow. Is the address right?`)
    }
    const text = signal.aborted ? '' : await readLimited(response, maxErrorBytes).catch(() => '')
    const retryAfterSeconds = retryAfter(headers, this.#options.now())
    return new ProviderReplyError({ status, body: text ?? '', retryAfterSeconds })
  }

  /** A provider that does not stream sends one chunk that has everything. */
  async *#whole(response: Response): AsyncGenerator<ProviderItem<Item>, void, undefined> {
    const text = await readLimited(response, maxEventLength)
    if (text === undefined) throw new UpstreamError(502, `${this.#url.host} sent more than csp reads.`)
    yield { item: this.#options.item(text) }
    yield 'end'
  }
}

/** Characters of one event, or of a whole reply. */
const maxEventLength = 32_000_000
const maxErrorBytes = 256_000
const maxAskMs = 5000

/** The address of an API below a base URL; `/v1` is what a server without a path has. */
function urlBelow(baseUrl: string, api: string): URL {
  const url = new URL(baseUrl)
  const path = withoutLastSlashes(url.pathname)
  if (!path.endsWith(api)) url.pathname = (path || '/v1') + api
  return url
}

/** Calls `onSilence` when the promise takes longer. */
async function withLimit<T>(promise: Promise<T>, milliseconds: number, onSilence: () => void): Promise<T> {
  const timer = setTimeout(onSilence, milliseconds)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Calls `onSilence` when the source takes longer for a piece. The time that the consumer takes does not count. One timer for
 * all pieces: starting one for each costs more than passing the piece on.
 */
async function* limited(
  source: AsyncGenerator<Uint8Array, void, undefined>,
  milliseconds: () => number,
  onSilence: () => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  let waitsSince: number | undefined
  const look = (): void => {
    if (waitsSince !== undefined && performance.now() - waitsSince >= milliseconds()) onSilence()
  }
  const timer = setInterval(look, Math.min(maxLookMs, Math.max(10, milliseconds() / 20)))
  try {
    for (;;) {
      waitsSince = performance.now()
      const { done, value } = await source.next()
      waitsSince = undefined
      if (done) return
      yield value
    }
  } finally {
    clearInterval(timer)
    await source.return()
  }
}

const maxLookMs = 250
