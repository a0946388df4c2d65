import type { ClientManifest } from '../client.ts'
import { mcp } from '../requests.ts'
import { jsonEntry, mcpByUrl } from '../settings.ts'

/** The entry that `qwen mcp add --transport http` writes. By `url` it would speak SSE. */
export const qwenCode: ClientManifest = {
  id: 'qwen-code',
  title: 'Qwen Code',
  group: 'coding',
  request: mcp,
  where({ home, variable }) {
    const trace = variable('QWEN_HOME') || `${home}/.qwen`
    return { file: `${trace}/settings.json`, trace }
  },
  files({ address }) {
    const { url: httpUrl, ...headers } = mcpByUrl(address)
    // Otherwise the model has to look for the tools before it can call one.
    return jsonEntry('mcpServers', { httpUrl, ...headers, alwaysLoadTools: true })
  },
}
