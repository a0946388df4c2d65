import type { ClientManifest } from '../client.ts'
import { mcp } from '../requests.ts'
import { mcpByUrl } from '../settings.ts'

export const goose: ClientManifest = {
  id: 'goose',
  title: 'Goose',
  group: 'assistant',
  request: mcp,
  where({ platform, configFolder }) {
    const trace = configFolder(platform === 'win32' ? 'Block/goose/config' : 'goose')
    return { file: `${trace}/config.yaml`, trace }
  },
  files({ address }) {
    const { url: uri, ...headers } = mcpByUrl(address)
    const value = {
      enabled: true,
      type: 'streamable_http',
      name: 'csp',
      description: 'Web search and page reading',
      uri,
      timeout: 300,
      ...headers,
    }
    return [{ format: 'yaml', settings: [{ place: ['extensions', 'csp'], value }] }]
  },
}
