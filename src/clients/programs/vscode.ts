import type { ClientManifest } from '../client.ts'
import { mcp } from '../requests.ts'
import { jsonEntry, mcpByUrl } from '../settings.ts'

export const vsCode: ClientManifest = {
  id: 'vscode',
  title: 'VS Code',
  group: 'coding',
  request: mcp,
  where({ applicationFolder }) {
    const trace = `${applicationFolder('Code')}/User`
    return { file: `${trace}/mcp.json`, trace }
  },
  place: 'mcp.json of the user, or .vscode/mcp.json',
  files: ({ address }) => jsonEntry('servers', { type: 'http', ...mcpByUrl(address) }),
}
