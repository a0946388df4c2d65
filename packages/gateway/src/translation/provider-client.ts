import { eventData } from '@csp/lib/event-stream'
import { askWhole, bodyText, type Fetch, type HttpCall, HttpFailure, openReply, pieces } from '@csp/lib/http-client'
import { parseJson } from '@csp/lib/json'
import { retryAfter } from '@csp/lib/retry-after'
import { withoutLastSlashes } from '@csp/lib/url'
import { abortedCall, UpstreamError } from '@csp/messages-api/upstream-error'
import { ProviderReplyError } from './provider-error.ts'

export interface ProviderClientOptions<Item> {
  readonly baseUrl: string
  /** The path of the API, below the base URL. */
  readonly path: string
  /** Reads the data of an event, or a whole reply. */
  readonly item: (data: string) => Item
  readonly headers: Readonly<Record<string, string>>
  /** For the head of a reply, and between two pieces of it. */
  readonly silenceMs: number
  readonly fetch: Fetch
}

/** One item of a stream; `end`: the stream says that it is over. */
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
   * Sends a request and yields its reply. A failure of the provider's throws `ProviderReplyError`, any other
   * `UpstreamError`. `silenceMs`: between two pieces.
   */
  async *send(
    body: string,
    signal: AbortSignal,
    silenceMs: () => number,
  ): AsyncGenerator<ProviderItem<Item>, void, undefined> {
    const { item, silenceMs: deadlineMs } = this.#options
    try {
      const call = this.#call(this.#url, body, signal, deadlineMs)
      const response = await openReply(
        { ...call, headers: { accept: 'text/event-stream', ...call.headers } },
        ({ status, headers, text }) => {
          const retryAfterSeconds = retryAfter(headers, new Date())
          return new ProviderReplyError({ status, body: text, retryAfterSeconds })
        },
      )
      if (!response.body) return
      // A provider that does not stream sends one chunk that has everything.
      if (/\bjson\b/.test(response.headers.get('content-type') ?? '')) {
        yield { item: item(await bodyText(response, { signal, silenceMs, maxBytes: maxReplyLength })) }
        yield 'end'
        return
      }
      for await (const data of eventData(pieces(response.body, { signal, silenceMs }), maxReplyLength)) {
        if (data.trim() === '[DONE]') {
          yield 'end'
          return
        }
        yield { item: item(data) }
      }
    } catch (error) {
      throw this.#explained(error, signal)
    }
  }

  /** Posts to another path below the base URL and returns its JSON; `undefined` if the call fails for any reason. */
  async ask(path: string, body: string, signal: AbortSignal): Promise<unknown> {
    try {
      const call = this.#call(urlBelow(this.#options.baseUrl, path), body, signal, maxAskMs)
      const { status, text } = await askWhole(call, maxAskBytes)
      return status < 300 ? parseJson(text) : undefined
    } catch {
      return undefined
    }
  }

  #call(url: URL, body: string, signal: AbortSignal, deadlineMs: number): HttpCall {
    const { headers, fetch } = this.#options
    return { url, headers: { 'content-type': 'application/json', ...headers }, body, signal, deadlineMs, fetch }
  }

  #explained(error: unknown, signal: AbortSignal): unknown {
    if (error instanceof ProviderReplyError || error instanceof UpstreamError) return error
    const { host } = this.#url
    const { kind, cause }: Partial<HttpFailure> = error instanceof HttpFailure ? error : { cause: error }
    switch (kind) {
      case 'aborted':
        return abortedCall(signal)
      case 'timeout':
      case 'silent':
        return new UpstreamError(504, `${host} sent nothing for ${this.#options.silenceMs / 1000} s.`, { cause })
      case 'strayed':
        return new UpstreamError(502, `${host} redirects, which csp does not follow. Is the address right?`)
      case 'too-long':
        return new UpstreamError(502, `${host} sent more than csp reads.`)
      case 'unreachable':
        return new UpstreamError(502, `${host} cannot be reached. Is it running?`, { cause })
      default:
        return new UpstreamError(502, `${host} broke off its reply.`, { cause })
    }
  }
}

/** Characters of one event, or bytes of a whole reply. */
const maxReplyLength = 32_000_000
const maxAskBytes = 256_000
const maxAskMs = 5000

/** The address of an API below a base URL; `/v1` is what a server without a path has. */
function urlBelow(baseUrl: string, api: string): URL {
  const url = new URL(baseUrl)
  const path = withoutLastSlashes(url.pathname)
  if (!path.endsWith(api)) url.pathname = (path || '/v1') + api
  return url
}
