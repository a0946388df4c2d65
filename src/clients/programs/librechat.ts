import type { ClientAddress, ClientManifest } from '../client.ts'
import { post, resultTexts } from '../requests.ts'
import { below, inContainer, noKey, variables } from '../settings.ts'

/** By Tavily's API, with the key in a header. */
export const libreChat: ClientManifest = {
  id: 'librechat',
  title: 'LibreChat',
  group: 'server',
  where({ directory }) {
    const file = `${directory}/librechat.yaml`
    return { file, trace: file, isOneOfMany: true }
  },
  place: 'librechat.yaml',
  fileHint: 'its librechat.yaml; the .env beside it is written, too',
  files({ address }) {
    const allowed = libreChatAllowed(address)
    const isAllowed = allowed ? [{ place: ['webSearch', 'allowedAddresses', { value: allowed }], value: allowed }] : []
    return [
      { format: 'yaml', settings: [...below('webSearch', webSearch), ...isAllowed] },
      { beside: '.env', format: 'env', settings: variables(variablesFor(address)) },
    ]
  },
  request: {
    kind: 'http',
    readsPages: true,
    api: 'Tavily',
    search(address, query) {
      const { TAVILY_SEARCH_URL, TAVILY_API_KEY } = variablesFor(address)
      const options = { search_depth: 'basic', topic: 'general', max_results: 8, safe_search: true }
      return post(TAVILY_SEARCH_URL, { query, ...options }, TAVILY_API_KEY)
    },
    found: (reply) => resultTexts(reply, 'url'),
  },
  steps: (addresses) => [
    'Restart LibreChat. An agent then searches with the switch Web Search.',
    ...inContainer('librechat', addresses),
  ],
  // Models that search by themselves: they need one file alone.
  snippet: ({ url, key = noKey }) => ({
    place: 'librechat.yaml',
    text: [
      'endpoints:',
      '  custom:',
      '    - name: csp',
      `      apiKey: ${key}`,
      `      baseURL: ${url}/v1`,
      '      models:',
      '        default: [sonar-pro, sonar, sonar-reasoning-pro]',
      '        fetch: true',
    ].join('\n'),
  }),
}

/**
 * LibreChat takes addresses and keys from variables alone, so these stand for what `variablesFor` has. It waits 15 s for
 * a search and 7.5 s for pages, unless it is told to wait longer.
 */
const webSearch = {
  searchProvider: 'tavily',
  tavilySearchUrl: `\${TAVILY_SEARCH_URL}`,
  tavilyApiKey: `\${TAVILY_API_KEY}`,
  scraperProvider: 'tavily',
  tavilyExtractUrl: `\${TAVILY_EXTRACT_URL}`,
  rerankerType: 'none',
  scraperTimeout: 30_000,
  tavilySearchOptions: { timeout: 60_000 },
}

/** The host and port that LibreChat has to be told before it calls a private address. */
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

function variablesFor({ url, key = noKey }: ClientAddress) {
  return {
    TAVILY_SEARCH_URL: `${url}/tavily/search`,
    TAVILY_EXTRACT_URL: `${url}/tavily/extract`,
    TAVILY_API_KEY: key,
  }
}
