import type { ClientManifest } from '../client.ts'
import { mcp } from '../requests.ts'
import { jsonEntry, mcpByUrl } from '../settings.ts'

export const cline: ClientManifest = {
  id: 'cline',
  title: 'Cline',
  group: 'coding',
  request: mcp,
  where({ applicationFolder }) {
    const trace = `${applicationFolder('Code')}/User/globalStorage/saoudrizwan.claude-dev`
    return { file: `${trace}/settings/cline_mcp_settings.json`, trace }
  },
  place: 'cline_mcp_settings.json (MCP Servers, Configure)',
  files: ({ address }) =>
    jsonEntry('mcpServers', { type: 'streamableHttp', ...mcpByUrl(address), timeout: timeoutSeconds }),
}

/** Its own 60 end slow answers. */
const timeoutSeconds = 180
