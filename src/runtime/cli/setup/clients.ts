import { shellWord } from '../../../lib/text.ts'
import type { ClientAddress } from '../../../web-ui/client-settings.ts'
import { type ClientSnippet, jsonSnippet, mcpSnippets } from '../../../web-ui/client-snippets.ts'
import { readKeyFile } from '../../bun/key-file.ts'
import { asCalled, type Program } from '../../shell/program.ts'
import { programEntry } from '../clients/mcp-clients.ts'
import type { Call } from '../command.ts'

/** Configurations for MCP clients. Those that take a URL share the running csp; the others start one of their own. */
export function allMcpSnippets(
  address: ClientAddress,
  program: Program,
  claudeBin: string | undefined,
): readonly ClientSnippet[] {
  const stdio = programEntry(program, claudeBin)
  const variable = claudeBin ? ['--env', `CSP_CLAUDE_BIN=${claudeBin}`] : []
  const words = ['claude', 'mcp', 'add', 'csp', ...variable, '--', program.command, ...program.args]
  const { cursor, vsCode, claudeCode, openClaw } = mcpSnippets(address)
  return [
    jsonSnippet('Claude Desktop', 'claude_desktop_config.json (Settings, Developer, Edit Config)', {
      mcpServers: { csp: stdio },
    }),
    cursor,
    vsCode,
    claudeCode,
    { client: 'Claude Code, without csp serve', place: 'a terminal', text: words.map(shellWord).join(' ') },
    openClaw,
  ]
}

/** Explains how to create a key, where csp requires one and none is known: of named keys only hashes are stored. */
export async function reportMissingKey({ shell, loaded }: Call, command: string): Promise<void> {
  if (loaded.config.apiKeys.length > 0 || (await readKeyFile(loaded.config.keyFile)).length === 0) return
  const advice = `Create one for this client:\n  CSP_API_KEYS=$(csp keys add NAME) csp ${command}\n`
  shell.errors.write(asCalled(`csp requires a key, and none is set here. ${advice}`, shell.program))
}
