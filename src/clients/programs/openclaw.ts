import type { ClientAddresses, ClientManifest, Places, Setting } from '../client.ts'
import { braveFound, braveSearch } from '../requests.ts'
import { mcpByUrl, noKey } from '../settings.ts'

/** By a plugin of ours, from csp's own package. */
const byPlugin: ClientManifest = openClawBy('csp')

/** By OpenClaw's own plugin for Brave, which insists on a key. */
export const openClaw: ClientManifest = { ...openClawBy('brave'), byPlugin }

function openClawBy(plugin: 'brave' | 'csp'): ClientManifest {
  return {
    id: 'openclaw',
    title: 'OpenClaw',
    group: 'assistant',
    isKnownByCopy: true,
    where(places) {
      const file = places.variable('OPENCLAW_CONFIG_PATH') || `${openClawFolder(places)}/openclaw.json`
      return { file, trace: file }
    },
    files: (addresses) => [{ format: 'json5', settings: settingsFor(plugin, addresses) }],
    request: {
      kind: 'http',
      api: 'Brave',
      search: ({ url, key = noKey }, query) => braveSearch(`${url}/res/v1/web/search`, query, key),
      found: braveFound,
    },
    snippet(address) {
      const csp = { ...mcpByUrl(address), transport: 'streamable-http', requestTimeoutMs: 180_000 }
      return { place: '~/.openclaw/openclaw.json', text: JSON.stringify({ mcp: { servers: { csp } } }, null, 2) }
    },
  }
}

/** Where OpenClaw keeps its files. */
export function openClawFolder({ home, variable }: Pick<Places, 'home' | 'variable'>): string {
  return variable('OPENCLAW_STATE_DIR') || `${variable('OPENCLAW_HOME') || home}/.openclaw`
}

function settingsFor(
  plugin: 'brave' | 'csp',
  { address: { url, key }, command, timeoutSeconds }: ClientAddresses,
): readonly Setting[] {
  const entry = ['plugins', 'entries', plugin]
  const webSearch = [...entry, 'config', 'webSearch']
  const search = ['tools', 'web', 'search']
  const apiKey = key ?? (plugin === 'brave' ? noKey : undefined)
  return [
    // What OpenClaw's own installation adds goes with the rest.
    ...(plugin === 'csp' ? [{ place: entry, value: undefined, isOurs } as const] : []),
    { place: [...entry, 'enabled'], value: true },
    ...(plugin === 'csp' && command ? [{ place: [...entry, 'config', 'command'], value: command }] : []),
    { place: [...webSearch, 'baseUrl'], value: url },
    ...(apiKey === undefined ? [] : [{ place: [...webSearch, 'apiKey'], value: apiKey }]),
    { place: ['plugins', 'allow', { value: plugin }], value: plugin, when: (_, list) => Array.isArray(list) },
    { place: [...search, 'enabled'], value: true, when: (present) => present === false },
    { place: [...search, 'provider'], value: plugin },
    // OpenClaw's own 30 end slow searches.
    {
      place: [...search, 'timeoutSeconds'],
      value: timeoutSeconds,
      when: (present) => typeof present !== 'number' || present < timeoutSeconds,
      isOurs,
    },
    ...(plugin === 'csp' ? [{ place: ['tools', 'web', 'fetch', 'provider'], value: plugin }] : []),
  ]
}

const isOurs = true
