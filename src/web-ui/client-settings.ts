/** What each client is told of csp, without the file in which it stands. The page and `csp setup` both show it. */

/** The address of csp for a client. */
export interface ClientAddress {
  readonly url: string
  /** Absent where csp requires none. */
  readonly key?: string | undefined
}

/** An MCP server by its address, in the words that most clients share. */
export function mcpByUrl({ url, key }: ClientAddress) {
  return { url: `${url}/mcp`, ...(key && { headers: { Authorization: `Bearer ${key}` } }) }
}

/** Continue: an item of `mcpServers`. */
export function continueServer({ url, key }: ClientAddress) {
  const headers = key && { requestOptions: { headers: { Authorization: `Bearer ${key}` } } }
  return { name: 'csp', type: 'streamable-http', url: `${url}/mcp`, ...headers }
}

/** Continue: what a file of its own begins with. */
export const continueHeader = { name: 'csp', version: '1.0.0', schema: 'v1' }

/** Goose: an extension. */
export function gooseExtension({ url, key }: ClientAddress) {
  return {
    ...{ enabled: true, type: 'streamable_http', name: 'csp', description: 'Web search and page reading' },
    ...{ uri: `${url}/mcp`, timeout: 300 },
    ...(key && { headers: { Authorization: `Bearer ${key}` } }),
  }
}

/** Hermes: below `web` in config.yaml. */
export const hermesSettings = { search_backend: 'tavily', extract_backend: 'tavily' }

/** Hermes: .env. */
export function hermesVariables({ url, key = noKey }: ClientAddress) {
  return { TAVILY_BASE_URL: `${url}/tavily`, TAVILY_API_KEY: key }
}

/**
 * LibreChat: below `webSearch`. It takes addresses and keys from variables alone, so these stand for what
 * `libreChatVariables` has. It waits 15 s for a search and 7.5 s for pages, unless it is told to wait longer.
 */
export const libreChatSettings = {
  searchProvider: 'tavily',
  tavilySearchUrl: `\${TAVILY_SEARCH_URL}`,
  tavilyApiKey: `\${TAVILY_API_KEY}`,
  scraperProvider: 'tavily',
  tavilyExtractUrl: `\${TAVILY_EXTRACT_URL}`,
  rerankerType: 'none',
  scraperTimeout: 30_000,
  tavilySearchOptions: { timeout: 60_000 },
}

/** LibreChat: the host and port that it has to be told before it calls a private address. */
export function libreChatAllowed({ url }: ClientAddress): string | undefined {
  const { hostname, port, protocol } = new URL(url)
  const isName = !/[.:]/.test(hostname)
  const isPrivate =
    isName ||
    /^\[(?:::1|f[cd][\da-f]{2}:.*|fe80:.*)\]$/.test(hostname) ||
    /^(?:127|10|192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01]))\./.test(hostname) ||
    /\.(?:internal|local|lan|home)$/.test(hostname)
  return isPrivate ? `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}` : undefined
}

/** LibreChat: .env. */
export function libreChatVariables({ url, key = noKey }: ClientAddress) {
  return {
    TAVILY_SEARCH_URL: `${url}/tavily/search`,
    TAVILY_EXTRACT_URL: `${url}/tavily/extract`,
    TAVILY_API_KEY: key,
  }
}

/** LiteLLM: an item of `search_tools`. */
export function liteLlmTool({ url, key = noKey }: ClientAddress) {
  return { search_tool_name: 'csp', litellm_params: { search_provider: 'perplexity', api_base: url, api_key: key } }
}

/** Open WebUI: variables of its container. */
export function openWebuiVariables({ url, key = noKey }: ClientAddress) {
  return {
    ENABLE_WEB_SEARCH: 'true',
    WEB_SEARCH_ENGINE: 'external',
    EXTERNAL_WEB_SEARCH_URL: `${url}/open-webui/search`,
    EXTERNAL_WEB_SEARCH_API_KEY: key,
    WEB_LOADER_ENGINE: 'external',
    EXTERNAL_WEB_LOADER_URL: `${url}/open-webui/loader`,
    EXTERNAL_WEB_LOADER_API_KEY: key,
  }
}

/** claude-code-router: variables of a Fusion model with web search, or of the router itself. */
export function routerVariables({ url, key = noKey }: ClientAddress) {
  return { BRAVE_SEARCH_ENDPOINT: `${url}/res/v1/web/search`, BRAVE_SEARCH_API_KEY: key }
}

/** An address that has its key in it, for clients without a field for keys. */
export function addressWithKey({ url, key }: ClientAddress): string {
  return key ? url.replace('://', `://csp:${encodeURIComponent(key)}@`) : url
}

/** What clients send that insist on a key where csp requires none. */
export const noKey = 'local'
