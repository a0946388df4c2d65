import type { ClientManifest } from '../client.ts'
import { mcp } from '../requests.ts'
import { jsonEntry, mcpByUrl } from '../settings.ts'

/** One file for its CLI and its extension for VS Code. */
export const kilo: ClientManifest = {
  id: 'kilo',
  title: 'Kilo Code',
  group: 'coding',
  request: mcp,
  where({ home, variable }) {
    const trace = `${variable('XDG_CONFIG_HOME') || `${home}/.config`}/kilo`
    return { file: `${trace}/kilo.jsonc`, trace }
  },
  files: ({ address }) => jsonEntry('mcp', { type: 'remote', ...mcpByUrl(address), enabled: true }),
}
