import { shellWord } from '../lib/text.ts'

/** The address of csp for a client. */
export interface ClientAddress {
  readonly url: string
  /** Absent where csp requires none. */
  readonly key?: string | undefined
}

/** A client, and the configuration that makes it search with csp. */
export interface ClientSnippet {
  readonly client: string
  /** The file that holds it, or where to type it. */
  readonly place: string
  readonly text: string
}

/** Configurations for MCP clients that share the csp at this address. */
export function mcpSnippets({ url, key }: ClientAddress) {
  const headers = key ? { headers: { Authorization: `Bearer ${key}` } } : {}
  const byUrl = { url: `${url}/mcp`, ...headers }
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
  // Clients that insist on a key may send anything where none is required.
  const key = known ?? 'local'
  const { cursor, vsCode, claudeCode, openClaw } = mcpSnippets(address)
  const flag = known ? ` -H ${shellWord(`Authorization: Bearer ${known}`)}` : ''
  return [
    claudeCode,
    cursor,
    vsCode,
    openClaw,
    {
      client: 'Open WebUI',
      place: 'Admin Panel, Settings, Web Search',
      text: lines('Web Search Engine: external', `External Search URL: ${url}/open-webui/search`, `Key: ${key}`),
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
      text: lines(
        'search_tools:',
        '  - search_tool_name: csp',
        '    litellm_params:',
        '      search_provider: perplexity',
        `      api_base: ${url}`,
        `      api_key: ${key}`,
      ),
    },
    ...librarySnippets(url, key),
    {
      client: 'curl',
      place: 'a terminal',
      text: `curl -fsS ${shellWord(`${url}/v1/search?q=bun+release+notes&count=3`)}${flag}`,
    },
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
    { client: 'OpenAI', place: 'Python', text: `client = OpenAI(base_url="${url}/v1", api_key="${key}")` },
    { client: 'Perplexity', place: 'Python', text: `client = Perplexity(base_url="${url}", api_key="${key}")` },
    { client: 'Tavily', place: 'Python', text: `client = TavilyClient("${key}", api_base_url="${url}/tavily")` },
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

function lines(...texts: readonly string[]): string {
  return texts.join('\n')
}
