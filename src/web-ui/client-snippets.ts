import { shellWord } from '../lib/text.ts'
import {
  addressWithKey,
  type ClientAddress,
  continueHeader,
  continueServer,
  hermesSettings,
  hermesVariables,
  liteLlmTool,
  mcpByUrl,
  noKey,
  openWebuiVariables,
  routerVariables,
} from './client-settings.ts'

/** A client, and the configuration that makes it search with csp. */
export interface ClientSnippet {
  readonly client: string
  /** The file that holds it, or where to type it. */
  readonly place: string
  readonly text: string
}

/** Configurations for MCP clients that share the csp at this address. */
export function mcpSnippets(address: ClientAddress) {
  const { url, key } = address
  const byUrl = mcpByUrl(address)
  const flag = key ? ` --header ${shellWord(`Authorization: Bearer ${key}`)}` : ''
  return {
    cursor: jsonSnippet('Cursor', '~/.cursor/mcp.json', { mcpServers: { csp: byUrl } }),
    vsCode: jsonSnippet('VS Code', '.vscode/mcp.json', { servers: { csp: { type: 'http', ...byUrl } } }),
    claudeCode: {
      client: 'Claude Code',
      place: 'a terminal',
      text: `claude mcp add --transport http csp ${url}/mcp${flag}`,
    },
    openClaw: jsonSnippet('OpenClaw', '~/.openclaw/openclaw.json', {
      mcp: { servers: { csp: { ...byUrl, transport: 'streamable-http', requestTimeoutMs: 180_000 } } },
    }),
  } satisfies Record<string, ClientSnippet>
}

export function jsonSnippet(client: string, place: string, value: unknown): ClientSnippet {
  return { client, place, text: JSON.stringify(value, null, 2) }
}

/** Configurations for all clients that need nothing but this address. docs/clients has more of each. */
export function clientSnippets(address: ClientAddress): readonly ClientSnippet[] {
  const { url, key: known } = address
  const key = known ?? noKey
  const { cursor, vsCode, claudeCode, openClaw } = mcpSnippets(address)
  const flag = known ? ` -H ${shellWord(`Authorization: Bearer ${known}`)}` : ''
  return [
    claudeCode,
    cursor,
    vsCode,
    openClaw,
    {
      client: 'Open WebUI',
      place: 'Variables at its first start; after that Admin Panel, Settings, Web Search has fields of these names',
      text: variables(openWebuiVariables(address)),
    },
    {
      client: 'LibreChat',
      place: 'librechat.yaml',
      text: lines(
        'endpoints:',
        '  custom:',
        '    - name: csp',
        `      apiKey: ${key}`,
        `      baseURL: ${url}/v1`,
        '      models:',
        '        default: [sonar-pro, sonar, sonar-reasoning-pro]',
        '        fetch: true',
      ),
    },
    {
      client: 'LiteLLM',
      place: 'config.yaml',
      text: lines(...yamlLines({ search_tools: [liteLlmTool(address)] })),
    },
    ...agentSnippets(address),
    ...librarySnippets(url, key),
    {
      client: 'curl',
      place: 'a terminal',
      text: `curl -fsS ${shellWord(`${url}/v1/search?q=bun+release+notes&count=3`)}${flag}`,
    },
  ]
}

function agentSnippets(address: ClientAddress): readonly ClientSnippet[] {
  const inAddress = addressWithKey(address)
  return [
    {
      client: 'Hermes',
      place: '~/.hermes/config.yaml, and below it ~/.hermes/.env',
      text: lines(...yamlLines({ web: hermesSettings }), '', variables(hermesVariables(address))),
    },
    {
      client: 'Continue',
      place: '~/.continue/mcpServers/csp.yaml',
      text: lines(...yamlLines({ ...continueHeader, mcpServers: [continueServer(address)] })),
    },
    {
      client: 'claude-code-router',
      place: 'Variables of a Fusion model with web_search (provider Brave), or of the router',
      text: variables(routerVariables(address)),
    },
    { client: 'n8n', place: 'Credential SearXNG API, for the tool SearXNG', text: `API URL: ${inAddress}` },
    { client: 'Home Assistant', place: 'Integration Model Context Protocol', text: `${inAddress}/mcp` },
  ]
}

function librarySnippets(url: string, key: string): readonly ClientSnippet[] {
  return [
    {
      client: 'Vercel AI SDK',
      place: 'JavaScript, with @ai-sdk/perplexity',
      text: `const csp = createPerplexity({ baseURL: '${url}', apiKey: '${key}' })`,
    },
    {
      client: 'LangChain',
      place: 'JavaScript, with @langchain/openai',
      text: lines(
        'const model = new ChatOpenAI({',
        "  model: 'sonar-pro',",
        `  apiKey: '${key}',`,
        `  configuration: { baseURL: '${url}/v1' },`,
        '})',
      ),
    },
    {
      client: 'Gemini',
      place: 'JavaScript, with @google/genai',
      text: `const csp = new GoogleGenAI({ apiKey: '${key}', httpOptions: { baseUrl: '${url}' } })`,
    },
    { client: 'OpenAI', place: 'Python', text: `client = OpenAI(base_url="${url}/v1", api_key="${key}")` },
    { client: 'Perplexity', place: 'Python', text: `client = Perplexity(base_url="${url}", api_key="${key}")` },
    { client: 'Tavily', place: 'Python', text: `client = TavilyClient("${key}", api_base_url="${url}/tavily")` },
    {
      client: 'Clients of Bing, Google Custom Search, Serper, SerpApi, Linkup, Parallel',
      place: 'Environment variables or settings: endpoint, and the key',
      text: lines(
        ...['v7.0/search', 'customsearch/v1', 'serper', 'serpapi', 'linkup/v1', 'parallel'].map(
          (end) => `${url}/${end}`,
        ),
        key,
      ),
    },
    {
      client: 'SearXNG clients',
      place: 'Wherever the address of an instance is asked for',
      text: url,
    },
    {
      client: 'Other clients of Brave Search, Perplexity and Anthropic',
      place: 'Environment variables or settings: base URL and key',
      text: lines(url, key),
    },
  ]
}

function variables(values: Readonly<Record<string, string>>): string {
  return lines(...Object.entries(values).map(([name, value]) => `${name}=${value}`))
}

/** Values that need no quotes, as YAML. */
function yamlLines(value: object, indent = ''): readonly string[] {
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) => {
    if (Array.isArray(inner)) {
      const items = inner.flatMap((item) => {
        const [first = '', ...rest] = yamlLines(item, `${indent}    `)
        return [`${indent}  - ${first.trimStart()}`, ...rest]
      })
      return [`${indent}${name}:`, ...items]
    }
    const isGroup = typeof inner === 'object' && inner !== null
    return isGroup ? [`${indent}${name}:`, ...yamlLines(inner, `${indent}  `)] : [`${indent}${name}: ${inner}`]
  })
}

function lines(...texts: readonly string[]): string {
  return texts.join('\n')
}
