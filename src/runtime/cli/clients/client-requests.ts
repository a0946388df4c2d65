import { isObject } from '../../../lib/json.ts'
import {
  type ClientAddress,
  hermesVariables,
  libreChatSettings,
  libreChatVariables,
  liteLlmTool,
  openWebuiVariables,
  routerVariables,
} from '../../../web-ui/client-settings.ts'

/** How a client searches: by MCP, also to a csp that it starts itself, or by a request as its source sends it. */
export type ClientRequest = McpRequest | ProgramRequest | HttpRequest

interface ProgramRequest {
  readonly kind: 'program'
  readonly patienceMs?: undefined
}

interface McpRequest {
  readonly kind: 'mcp'
  /** How long the client waits. */
  readonly patienceMs?: number | undefined
  /** The headers of a client that has no field for a key. */
  readonly headers?: ((address: ClientAddress) => Readonly<Record<string, string>>) | undefined
}

interface HttpRequest {
  readonly kind: 'http'
  readonly patienceMs?: number | undefined
  search(address: ClientAddress, query: string): Request
  /** The addresses of the pages that a reply names. */
  found(reply: unknown): readonly string[]
  /** How it reads pages, where csp does that for it. */
  readonly pages?: PagesRequest | undefined
}

interface PagesRequest {
  read(address: ClientAddress, urls: readonly string[]): Request
  /** The texts that came. */
  texts(reply: unknown): readonly string[]
}

export const mcp: McpRequest = { kind: 'mcp' }
export const program: ProgramRequest = { kind: 'program' }

/** MCP, with the key in the address. */
export const homeAssistantRequest: McpRequest = { kind: 'mcp', patienceMs: 10_000, headers: basicKey }

/** Tavily, with the key in the body. */
export const hermesRequest: HttpRequest = {
  kind: 'http',
  patienceMs: 60_000,
  search(address, query) {
    const { TAVILY_BASE_URL: base, TAVILY_API_KEY: api_key } = hermesVariables(address)
    const options = { max_results: 5, include_raw_content: false, include_images: false }
    return post(`${base}/search`, { query, ...options, api_key })
  },
  found: (reply) => textsOf(listIn(reply, 'results'), 'url'),
  pages: {
    read(address, urls) {
      const { TAVILY_BASE_URL: base, TAVILY_API_KEY: api_key } = hermesVariables(address)
      return post(`${base}/extract`, { urls, include_images: false, api_key })
    },
    texts: (reply) => textsOf(listIn(reply, 'results'), 'raw_content'),
  },
}

/** Tavily, with the key in a header. */
export const libreChatRequest: HttpRequest = {
  kind: 'http',
  search(address, query) {
    const { TAVILY_SEARCH_URL, TAVILY_API_KEY } = libreChatVariables(address)
    const options = { search_depth: 'basic', topic: 'general', max_results: 8, safe_search: true }
    return post(TAVILY_SEARCH_URL, { query, ...options }, TAVILY_API_KEY)
  },
  found: (reply) => textsOf(listIn(reply, 'results'), 'url'),
  pages: {
    read(address, urls) {
      const { TAVILY_EXTRACT_URL, TAVILY_API_KEY } = libreChatVariables(address)
      const timeout = libreChatSettings.scraperTimeout / 1000
      return post(TAVILY_EXTRACT_URL, { urls, extract_depth: 'basic', include_images: false, timeout }, TAVILY_API_KEY)
    },
    texts: (reply) => textsOf(listIn(reply, 'results'), 'raw_content'),
  },
}

export const openWebuiRequest: HttpRequest = {
  kind: 'http',
  search(address, query) {
    const { EXTERNAL_WEB_SEARCH_URL, EXTERNAL_WEB_SEARCH_API_KEY } = openWebuiVariables(address)
    return post(EXTERNAL_WEB_SEARCH_URL, { query, count: 3 }, EXTERNAL_WEB_SEARCH_API_KEY)
  },
  found: (reply) => textsOf(reply, 'link'),
  pages: {
    read(address, urls) {
      const { EXTERNAL_WEB_LOADER_URL, EXTERNAL_WEB_LOADER_API_KEY } = openWebuiVariables(address)
      return post(EXTERNAL_WEB_LOADER_URL, { urls }, EXTERNAL_WEB_LOADER_API_KEY)
    },
    texts: (reply) => textsOf(reply, 'page_content'),
  },
}

/** Perplexity's search. */
export const liteLlmRequest: HttpRequest = {
  kind: 'http',
  search(address, query) {
    const { api_base, api_key } = liteLlmTool(address).litellm_params
    return post(`${api_base}/search`, { query }, api_key)
  },
  found: (reply) => textsOf(listIn(reply, 'results'), 'url'),
}

/** Brave's search. */
export const routerRequest: HttpRequest = {
  kind: 'http',
  patienceMs: 15_000,
  search(address, query) {
    const { BRAVE_SEARCH_ENDPOINT, BRAVE_SEARCH_API_KEY } = routerVariables(address)
    const url = new URL(BRAVE_SEARCH_ENDPOINT)
    url.search = new URLSearchParams({ q: query, count: '5' }).toString()
    return new Request(url, { headers: { 'x-subscription-token': BRAVE_SEARCH_API_KEY } })
  },
  found: (reply) => textsOf(listIn(isObject(reply) ? reply['web'] : undefined, 'results'), 'url'),
}

/** SearXNG, posted with all of it in the address, and so is the key. */
export const n8nRequest: HttpRequest = {
  kind: 'http',
  patienceMs: 15_000,
  search(address, query) {
    const words = new URLSearchParams({ q: query, format: 'json', pageno: '1', safesearch: '0', language: 'en' })
    const headers = { accept: 'application/json', ...basicKey(address) }
    return new Request(`${address.url}/search?${words}`, { method: 'POST', headers })
  },
  found: (reply) => textsOf(listIn(reply, 'results'), 'url'),
}

/** What a client makes of `http://csp:KEY@host`. */
function basicKey({ key }: ClientAddress): Readonly<Record<string, string>> {
  return key ? { authorization: `Basic ${btoa(`csp:${key}`)}` } : {}
}

function post(url: string, body: unknown, key?: string): Request {
  const headers = { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) }
  return new Request(url, { method: 'POST', headers, body: JSON.stringify(body) })
}

function listIn(reply: unknown, name: string): unknown {
  return isObject(reply) ? reply[name] : undefined
}

/** One member of each item that has it as a text. */
function textsOf(list: unknown, name: string): readonly string[] {
  const items: readonly unknown[] = Array.isArray(list) ? list : []
  return items.flatMap((item) => {
    const text = isObject(item) ? item[name] : undefined
    return typeof text === 'string' && text ? [text] : []
  })
}
