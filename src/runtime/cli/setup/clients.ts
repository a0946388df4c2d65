import { join } from 'node:path'
import { readKeyFile } from '../../bun/key-file.ts'
import { urlOf } from '../../bun/server.ts'
import type { Config } from '../../config/settings.ts'
import { UsageError } from '../../config/usage-error.ts'
import type { Call } from '../command.ts'

/** How a client on this machine reaches csp. */
export interface ClientAddress {
  readonly url: string
  /** Absent where none is asked for. */
  readonly key?: string | undefined
}

/** Where csp listens as it is configured, unless another address is given. */
export function clientAddress(
  { host, port, apiKeys }: Pick<Config, 'host' | 'port' | 'apiKeys'>,
  given: string | undefined,
): ClientAddress {
  const everywhere = host === '0.0.0.0' || host === '::'
  const text = given ?? urlOf(everywhere ? '127.0.0.1' : host, port)
  if (!/^https?:$/.test(URL.parse(text)?.protocol ?? '')) {
    throw new UsageError(`--url must be an address such as http://127.0.0.1:52480, not "${text}".`)
  }
  return { url: text.replace(/\/+$/, ''), key: apiKeys[0] }
}

/** A client of MCP, and what makes csp one of its servers. */
export interface McpSnippet {
  readonly client: string
  /** The file that it goes into, or where it is typed. */
  readonly place: string
  readonly text: string
}

/** How to start a program: without a shell, from any folder. */
export interface Program {
  readonly command: string
  readonly args: readonly string[]
}

/** What to put where. A client that takes a URL shares the csp that serves; the others start one of their own. */
export function mcpSnippets({ url, key }: ClientAddress, stdio: Program): readonly McpSnippet[] {
  const headers = key ? { headers: { Authorization: `Bearer ${key}` } } : {}
  const byUrl = { url: `${url}/mcp`, ...headers }
  const flag = key ? ` --header ${shellWord(`Authorization: Bearer ${key}`)}` : ''
  return [
    snippet('Claude Desktop', 'claude_desktop_config.json (Settings, Developer, Edit Config)', {
      mcpServers: { csp: stdio },
    }),
    snippet('Cursor', '~/.cursor/mcp.json', { mcpServers: { csp: byUrl } }),
    snippet('VS Code', '.vscode/mcp.json', { servers: { csp: { type: 'http', ...byUrl } } }),
    {
      client: 'Claude Code',
      place: 'a terminal',
      text: `claude mcp add --transport http csp ${url}/mcp${flag}`,
    },
    snippet('OpenClaw', '~/.openclaw/openclaw.json', {
      mcp: { servers: { csp: { ...byUrl, transport: 'streamable-http', requestTimeoutMs: 180_000 } } },
    }),
  ]
}

/** This very csp with other arguments. */
export function ownProgram(...args: readonly string[]): Program {
  // A compiled csp is one file; its sources live in a file system of Bun's own.
  if (import.meta.dir.startsWith('/$bunfs') || import.meta.dir.startsWith('B:\\~BUN')) {
    return { command: process.execPath, args }
  }
  return { command: Bun.which('node') ?? 'node', args: [join(import.meta.dir, '../../../../bin/csp.mjs'), ...args] }
}

function snippet(client: string, place: string, value: unknown): McpSnippet {
  return { client, place, text: JSON.stringify(value, null, 2) }
}

/** Says how a client gets a key, where one will be asked for and none is at hand: of named keys only hashes are kept. */
export async function reportMissingKey({ shell, loaded }: Call, command: string): Promise<void> {
  if (loaded.config.apiKeys.length > 0 || (await readKeyFile(loaded.config.keyFile)).length === 0) return
  shell.errors.write(
    `csp asks for a key, and none is given here. Make one for this client:\n  CSP_API_KEYS=$(csp keys add NAME) csp ${command}\n`,
  )
}

/** The text as one word of a command line, in quotes where a shell would read something into it. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
