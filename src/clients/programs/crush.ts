import type { ClientManifest } from '../client.ts'
import { mcp } from '../requests.ts'
import { jsonEntry, mcpByUrl } from '../settings.ts'

/** Its other file, crushrc, is a script of Bash. Crush reads both, and what only one of them has stays. */
export const crush: ClientManifest = {
  id: 'crush',
  title: 'Crush',
  group: 'coding',
  request: mcp,
  where({ home, variable }) {
    const usual = `${variable('XDG_CONFIG_HOME') || `${home}/.config`}/crush`
    const trace = variable('CRUSH_GLOBAL_CONFIG') || usual
    return { file: `${trace}/crush.json`, trace }
  },
  files: ({ address }) => jsonEntry('mcp', { type: 'http', ...mcpByUrl(address) }),
}
