import type { ClientManifest } from '../client.ts'
import { mcp } from '../requests.ts'
import { inContainer, jsonEntry, mcpByUrl } from '../settings.ts'

export const anythingLlm: ClientManifest = {
  id: 'anythingllm',
  title: 'AnythingLLM',
  group: 'assistant',
  request: mcp,
  where({ applicationFolder }) {
    const trace = applicationFolder('anythingllm-desktop')
    return { file: `${trace}/storage/plugins/anythingllm_mcp_servers.json`, trace }
  },
  place: 'plugins/anythingllm_mcp_servers.json in its storage',
  fileHint: 'plugins/anythingllm_mcp_servers.json in its storage',
  // Without a type it would speak SSE.
  files: ({ address }) => jsonEntry('mcpServers', { type: 'streamable', ...mcpByUrl(address) }),
  steps: (addresses) => [
    'Its agents have the tools after a restart: write @agent in a chat.',
    ...inContainer('anythingllm', addresses),
  ],
}
