import type { ClientManifest } from '../client.ts'
import { basicKey, mcp } from '../requests.ts'
import { addressWithKey, firstKey } from '../settings.ts'

/** By MCP, with the key in the address. */
export const homeAssistant: ClientManifest = {
  id: 'home-assistant',
  title: 'Home Assistant',
  group: 'server',
  unwritable: 'Home Assistant keeps its integrations in a storage of its own, which only its pages may change.',
  files: () => [],
  request: { ...mcp, patienceMs: 10_000, headers: basicKey },
  steps: ({ address, csp }) => [
    'Settings, Devices & services, Add integration, Model Context Protocol:',
    `  its address: ${addressWithKey(address)}/mcp`,
    'Then choose it in the settings of a conversation agent, below "Control Home Assistant". It waits 10 s for a tool: web_search and fetch_page are quick enough, ask_web seldom is.',
    `Where it runs on another machine, csp is http://THIS-MACHINE:${new URL(address.url).port}, which it answers with a key alone:`,
    `  ${csp} keys add home-assistant`,
    `  ${csp} start --host 0.0.0.0`,
    firstKey(csp),
  ],
  snippet: (address) => ({ place: 'Integration Model Context Protocol', text: `${addressWithKey(address)}/mcp` }),
}
