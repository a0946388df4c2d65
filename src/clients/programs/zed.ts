import type { ClientManifest } from '../client.ts'
import { mcp } from '../requests.ts'
import { jsonEntry, mcpByUrl } from '../settings.ts'

export const zed: ClientManifest = {
  id: 'zed',
  title: 'Zed',
  group: 'coding',
  request: mcp,
  where({ platform, home, configFolder }) {
    const trace = platform === 'darwin' ? `${home}/.config/zed` : configFolder('zed')
    return { file: `${trace}/settings.json`, trace }
  },
  files: ({ address }) => jsonEntry('context_servers', mcpByUrl(address)),
}
