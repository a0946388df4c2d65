import type { ClientManifest } from '../client.ts'
import { mcp } from '../requests.ts'
import { jsonEntry, mcpByUrl } from '../settings.ts'

export const cursor: ClientManifest = {
  id: 'cursor',
  title: 'Cursor',
  group: 'coding',
  request: mcp,
  where: ({ home }) => ({ file: `${home}/.cursor/mcp.json`, trace: `${home}/.cursor` }),
  files: ({ address }) => jsonEntry('mcpServers', mcpByUrl(address)),
}
