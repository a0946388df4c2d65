import type { ClientManifest } from '../client.ts'
import { mcp } from '../requests.ts'
import { inContainer, mcpByUrl } from '../settings.ts'

export const flowise: ClientManifest = {
  id: 'flowise',
  title: 'Flowise',
  group: 'server',
  unwritable: 'Flowise keeps its flows in its database.',
  files: () => [],
  request: mcp,
  steps: (addresses) => [
    'Tool Custom MCP, MCP Server Config:',
    `  ${JSON.stringify(mcpByUrl(addresses.address))}`,
    'Then choose the tools below Available Actions.',
    'Flowise refuses addresses of its own machine and network until it is started with HTTP_SECURITY_CHECK=false.',
    ...inContainer('flowise', addresses),
  ],
  snippet: (address) => ({
    place: 'Tool Custom MCP, MCP Server Config',
    text: JSON.stringify(mcpByUrl(address), null, 2),
  }),
}
