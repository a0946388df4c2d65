import type { ClientManifest } from '../client.ts'
import { mcp } from '../requests.ts'
import { jsonEntry, mcpByUrl } from '../settings.ts'

export const openCode: ClientManifest = {
  id: 'opencode',
  title: 'opencode',
  group: 'coding',
  request: mcp,
  where({ home, variable }) {
    const trace = `${variable('XDG_CONFIG_HOME') || `${home}/.config`}/opencode`
    return { file: `${trace}/opencode.json`, trace }
  },
  files: ({ address }) => jsonEntry('mcp', { type: 'remote', ...mcpByUrl(address), enabled: true }),
}
