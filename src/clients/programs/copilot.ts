import type { ClientManifest } from '../client.ts'
import { mcp } from '../requests.ts'
import { jsonEntry, mcpByUrl } from '../settings.ts'

/** The entry that `copilot mcp add --transport http` writes. */
export const copilot: ClientManifest = {
  id: 'copilot',
  title: 'Copilot CLI',
  group: 'coding',
  request: mcp,
  where({ home, variable }) {
    const trace = variable('COPILOT_HOME') || `${home}/.copilot`
    return { file: `${trace}/mcp-config.json`, trace }
  },
  files: ({ address }) =>
    jsonEntry('mcpServers', { type: 'http', ...mcpByUrl(address), tools: ['*'], timeout: timeoutMs }),
}

/** A deep answer takes longer than most servers. */
const timeoutMs = 180_000
