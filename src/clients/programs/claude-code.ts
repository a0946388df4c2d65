import type { ClientManifest } from '../client.ts'
import { mcp } from '../requests.ts'
import { jsonEntry, mcpByUrl, typed } from '../settings.ts'

export const claudeCode: ClientManifest = {
  id: 'claude-code',
  title: 'Claude Code',
  group: 'coding',
  request: mcp,
  where({ home, variable }) {
    const file = `${variable('CLAUDE_CONFIG_DIR') || home}/.claude.json`
    return { file, trace: file }
  },
  files: ({ address }) => jsonEntry('mcpServers', { type: 'http', ...mcpByUrl(address) }),
  snippet({ url, key }) {
    const header = key ? ['--header', `Authorization: Bearer ${key}`] : []
    return typed('claude', 'mcp', 'add', '--transport', 'http', 'csp', `${url}/mcp`, ...header)
  },
}
