import type { ClientManifest } from '../client.ts'
import { mcp } from '../requests.ts'
import { jsonEntry, mcpByUrl } from '../settings.ts'

export const pi: ClientManifest = {
  id: 'pi',
  title: 'Pi',
  group: 'coding',
  request: mcp,
  where({ home, variable }) {
    const trace = variable('PI_CODING_AGENT_DIR') || `${home}/.pi/agent`
    return { file: `${trace}/mcp.json`, trace }
  },
  // Otherwise only scripts of the model see them.
  files: ({ address }) => jsonEntry('mcpServers', { ...mcpByUrl(address), exposure: 'direct' }),
}
