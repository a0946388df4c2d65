import type { ClientManifest } from '../client.ts'
import { basicKey, resultTexts } from '../requests.ts'
import { addressWithKey, inContainer } from '../settings.ts'

/** By SearXNG's API, posted with all of it in the address, and so is the key. */
export const n8n: ClientManifest = {
  id: 'n8n',
  title: 'n8n',
  group: 'server',
  unwritable: 'n8n keeps its credentials encrypted in its database.',
  files: () => [],
  request: {
    kind: 'http',
    api: 'SearXNG',
    patienceMs: 15_000,
    search(address, query) {
      const words = new URLSearchParams({ q: query, format: 'json', pageno: '1', safesearch: '0', language: 'en' })
      const headers = { accept: 'application/json', ...basicKey(address) }
      return new Request(`${address.url}/search?${words}`, { method: 'POST', headers })
    },
    found: (reply) => resultTexts(reply, 'url'),
  },
  steps: (addresses) => [
    'Credentials, Create, SearXNG API:',
    `  API URL: ${addressWithKey(addresses.address)}`,
    'Then add the tool SearXNG with this credential to an AI Agent. Or MCP Client Tool, transport HTTP Streamable:',
    `  Endpoint: ${addresses.address.url}/mcp${addresses.address.key ? `, Bearer Auth: ${addresses.address.key}` : ''}`,
    ...inContainer('n8n', addresses),
  ],
  snippet: (address) => ({
    place: 'Credential SearXNG API, for the tool SearXNG',
    text: `API URL: ${addressWithKey(address)}`,
  }),
}
