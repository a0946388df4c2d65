import type { ClientManifest } from '../client.ts'
import { mcp } from '../requests.ts'
import { jsonEntry, mcpByUrl } from '../settings.ts'

export const lmStudio: ClientManifest = {
  id: 'lm-studio',
  title: 'LM Studio',
  group: 'assistant',
  request: mcp,
  where: ({ home }) => ({ file: `${home}/.lmstudio/mcp.json`, trace: `${home}/.lmstudio` }),
  place: 'mcp.json (Program, Install, Edit mcp.json)',
  files: ({ address }) => jsonEntry('mcpServers', mcpByUrl(address)),
}
