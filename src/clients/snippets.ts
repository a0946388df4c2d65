import type { ClientAddress, ClientAddresses, ClientGroup, ClientManifest, ClientSnippet, Places } from './client.ts'
import { clients } from './clients.ts'
import { librarySnippets } from './libraries.ts'
import { claudeCode } from './programs/claude-code.ts'
import { claudeDesktop } from './programs/claude-desktop.ts'
import { cursor } from './programs/cursor.ts'
import { openClaw } from './programs/openclaw.ts'
import { vsCode } from './programs/vscode.ts'
import { programEntry, typed } from './settings.ts'
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
  const { title, snippet } = client
  if (snippet) return { client: title, ...snippet(addresses.address) }
  const files = client.files(addresses)
  const others = files.flatMap(({ beside }) => (beside ? [`, and below it ${beside}`] : []))
  const text = files.map(settingsText).join('\n').trimEnd()
  return { client: title, place: `${usualPlace(client)}${others.join('')}`, text }
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
