import { join } from 'node:path'
import type { Way } from './client-address.ts'
import { shellWord } from './shell-word.ts'

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
export function mcpSnippets({ url, key }: Way, stdio: Program): readonly McpSnippet[] {
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
