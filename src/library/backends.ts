import { parseUrl } from '@csp/lib/url'
import { brave as braveBackend } from '../executor/backends/brave/brave.ts'
import { exa as exaBackend } from '../executor/backends/exa/exa.ts'
import { messages as messagesBackend } from '../executor/backends/messages/messages.ts'
import { remote as remoteBackend } from '../executor/backends/remote/remote.ts'
import { searxng as searxngBackend } from '../executor/backends/searxng/searxng.ts'
import { serper as serperBackend } from '../executor/backends/serper/serper.ts'
import { tavily as tavilyBackend } from '../executor/backends/tavily/tavily.ts'
import type { Executor } from '../executor/executor.ts'
import { urlFetcher } from '../executor/wire/fetcher.ts'
import { version } from '../runtime/version.ts'

/**
 * A SearXNG instance, and how fast it may be asked.
 * @example const options: SearxngOptions = { url: 'https://searx.example.org', requestsPerSecond: 5 }
 */
export interface SearxngOptions {
  /** The address of the instance, with its path if it has one: `https://searx.example.org`. Its settings must allow `json`. */
  readonly url: string
  /** Requests begun in a second; 2 by default. 0: no limit. */
  readonly requestsPerSecond?: number | undefined
}

/**
 * Result lists of a SearXNG instance. Needs `fetch` alone. Throws a `TypeError` for an invalid `url`.
 * @example const app = createApp({ backends: searxng({ url: 'http://127.0.0.1:8080' }) })
 */
export function searxng({ url, requestsPerSecond }: SearxngOptions): Executor {
  return searxngBackend({ url: checkedUrl('searxng', url), requestsPerSecond, version })
}

/**
 * Options of a search API that wants a key, and bills its owner.
 * @example const options: SearchApiOptions = { key: process.env['EXA_API_KEY'] ?? '', requestsPerSecond: 5 }
 */
export interface SearchApiOptions {
  readonly key: string
  /** By default the vendor's own. */
  readonly url?: string | undefined
  /** Requests begun in a second; 2 by default. 0: no limit. */
  readonly requestsPerSecond?: number | undefined
}

/**
 * Result lists of the Brave Search API. Needs `fetch` alone. Throws a `TypeError` for an invalid `url`.
 * @example const app = createApp({ backends: [brave({ key: process.env['BRAVE_API_KEY'] ?? '' }), claude()] })
 */
export function brave(options: SearchApiOptions): Executor {
  return braveBackend(checkedOptions('brave', options))
}

/**
 * Result lists of the Exa API. Needs `fetch` alone. Throws a `TypeError` for an invalid `url`.
 * @example const app = createApp({ backends: [exa({ key: process.env['EXA_API_KEY'] ?? '' }), claude()] })
 */
export function exa(options: SearchApiOptions): Executor {
  return exaBackend(checkedOptions('exa', options))
}

/**
 * Result lists of the Tavily API. Needs `fetch` alone. Throws a `TypeError` for an invalid `url`.
 * @example const app = createApp({ backends: [tavily({ key: process.env['TAVILY_API_KEY'] ?? '' }), claude()] })
 */
export function tavily(options: SearchApiOptions): Executor {
  return tavilyBackend(checkedOptions('tavily', options))
}

/**
 * Google's result lists by the Serper API. Needs `fetch` alone. Throws a `TypeError` for an invalid `url`.
 * @example const app = createApp({ backends: [serper({ key: process.env['SERPER_API_KEY'] ?? '' }), claude()] })
 */
export function serper(options: SearchApiOptions): Executor {
  return serperBackend(checkedOptions('serper', options))
}

/**
 * The Anthropic API, and the models that search and write.
 * @example const options: MessagesOptions = { apiKey: process.env['ANTHROPIC_API_KEY'] ?? '', model: 'haiku' }
 */
export interface MessagesOptions {
  /** A key of the Anthropic API. */
  readonly apiKey: string
  /** Writes where a request names none: `sonnet` (the default), `haiku`, `opus` or a full name. */
  readonly model?: string | undefined
  /** For lists of results; `haiku` by default. */
  readonly searchModel?: string | undefined
  /** By default Anthropic's own. */
  readonly url?: string | undefined
}

/**
 * Lists and written answers by the Anthropic Messages API with its web search; the owner of the key pays for both. Needs
 * `fetch` alone.
 * @example const app = createApp({ backends: messages({ apiKey: process.env['ANTHROPIC_API_KEY'] ?? '' }) })
 */
export function messages({ apiKey, model = 'sonnet', searchModel = 'haiku', url }: MessagesOptions): Executor {
  return messagesBackend({ apiKey, model, searchModel, url: url && checkedUrl('messages', url), version })
}

/**
 * Another csp, and the key that it gave.
 * @example const options: RemoteOptions = { url: 'https://csp.example.org', key: process.env['CSP_KEY'] }
 */
export interface RemoteOptions {
  /** The address of another csp, with its path if it has one. */
  readonly url: string
  /** One of its keys, where it has any. */
  readonly key?: string | undefined
}

/**
 * Lists and written answers of another csp. Needs `fetch` alone. Throws a `TypeError` for an invalid `url`.
 * @example const app = createApp({ backends: remote({ url: 'http://127.0.0.1:52480' }) })
 */
export function remote({ url, key }: RemoteOptions): Executor {
  return remoteBackend({ fetcher: urlFetcher(checkedUrl('remote', url), key) })
}

function checkedOptions(backend: string, { key, url, requestsPerSecond }: SearchApiOptions) {
  return { key, url: url && checkedUrl(backend, url), requestsPerSecond, version }
}

function checkedUrl(backend: string, url: string): string {
  if (/^https?:$/.test(parseUrl(url)?.protocol ?? '')) return url
  throw new TypeError(`The url of ${backend}() must begin with http:// or https://.`)
}
