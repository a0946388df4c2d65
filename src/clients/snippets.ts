import { shellWord } from '@csp/lib/text'
import type { ClientAddress, ClientAddresses, ClientGroup, ClientManifest, ClientSnippet, Places } from './client.ts'
import { clients } from './clients.ts'
import { claudeCode } from './programs/claude-code.ts'
import { claudeDesktop } from './programs/claude-desktop.ts'
import { cursor } from './programs/cursor.ts'
import { openClaw } from './programs/openclaw.ts'
import { vsCode } from './programs/vscode.ts'
import { noKey, programEntry, typed } from './settings.ts'
import { settingsText } from './settings-text.ts'

/** Configurations of clients of one kind. */
interface SnippetGroup {
  readonly title: string
  readonly snippets: readonly ClientSnippet[]
}

/** How clients reach a csp of which only the address is known. */
export function usualAddresses(address: ClientAddress): ClientAddresses {
  return { address, program: { command: 'csp', args: ['mcp'] }, csp: 'csp', timeoutSeconds: 120, platform: 'linux' }
}

/** Configurations for all clients, by their kind. docs/clients has more of each. */
export function clientSnippets(address: ClientAddress): readonly SnippetGroup[] {
  const addresses = usualAddresses(address)
  const groups = groupTitles.map(([group, title]) => {
    const members = clients.filter((client) => client.group === group)
    return { title, snippets: members.map((client) => snippetOf(client, addresses)) }
  })
  return [...groups, { title: 'Libraries and other APIs', snippets: librarySnippets(address) }]
}

const groupTitles: readonly (readonly [ClientGroup, title: string])[] = [
  ['coding', 'Editors and coding agents'],
  ['assistant', 'Assistants'],
  ['server', 'Chat servers, gateways and automation'],
]

/** Configurations for MCP clients. Those that take a URL share the running csp; the others start one of their own. */
export function mcpSnippets(addresses: ClientAddresses): readonly ClientSnippet[] {
  const { command, args, env = {} } = programEntry(addresses.program, addresses.claudeBin)
  const own = Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`])
  return [
    ...[claudeDesktop, cursor, vsCode, claudeCode].map((client) => snippetOf(client, addresses)),
    {
      client: 'Claude Code, without csp serve',
      ...typed('claude', 'mcp', 'add', 'csp', ...own, '--', command, ...args),
    },
    snippetOf(openClaw, addresses),
  ]
}

/** What to type or paste for one client. */
function snippetOf(client: ClientManifest, addresses: ClientAddresses): ClientSnippet {
  const { title, snippet, id: setup } = client
  if (snippet) return { client: title, setup, ...snippet(addresses.address) }
  const files = client.files(addresses)
  const others = files.flatMap(({ beside }) => (beside ? [`, and below it ${beside}`] : []))
  const text = files.map(settingsText).join('\n').trimEnd()
  return { client: title, setup, place: `${usualPlace(client)}${others.join('')}`, text }
}

/** Where a client keeps its configuration, in words. */
export function usualPlace({ place, where }: ClientManifest): string {
  return place ?? where?.(onLinux).file ?? ''
}

const onLinux: Places = {
  home: '~',
  directory: '.',
  platform: 'linux',
  variable: () => undefined,
  configFolder: (name) => `~/.config/${name}`,
  applicationFolder: (name) => `~/.config/${name}`,
}

/** Configurations for libraries, and for programs that only need an address. */
function librarySnippets({ url, key: known }: ClientAddress): readonly ClientSnippet[] {
  const key = known ?? noKey
  const flag = known ? ` -H ${shellWord(`Authorization: Bearer ${known}`)}` : ''
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
      client: 'LangChain in Python',
      place: 'Python, with langchain-openai',
      text: `model = ChatOpenAI(model="sonar-pro", api_key="${key}", base_url="${url}/v1")`,
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
    {
      client: 'curl',
      place: 'a terminal',
      text: `curl -fsS ${shellWord(`${url}/v1/search?q=bun+release+notes&count=3`)}${flag}`,
    },
  ]
}

function lines(...texts: readonly string[]): string {
  return texts.join('\n')
}
