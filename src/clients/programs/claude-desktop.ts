import type { ClientManifest } from '../client.ts'
import { jsonEntry, programEntry } from '../settings.ts'

export const claudeDesktop: ClientManifest = {
  id: 'claude-desktop',
  title: 'Claude Desktop',
  group: 'assistant',
  request: { kind: 'program' },
  where({ applicationFolder }) {
    const trace = applicationFolder('Claude')
    return { file: `${trace}/claude_desktop_config.json`, trace }
  },
  place: 'claude_desktop_config.json (Settings, Developer, Edit Config)',
  files: ({ program, claudeBin }) => jsonEntry('mcpServers', programEntry(program, claudeBin)),
}
