import type { ClientAddress, ClientManifest } from '../client.ts'
import { mcp } from '../requests.ts'
import { typed } from '../settings.ts'
import { tomlTable } from '../settings-text.ts'

export const codex: ClientManifest = {
  id: 'codex',
  title: 'Codex',
  group: 'coding',
  request: mcp,
  where({ home, variable }) {
    const trace = variable('CODEX_HOME') || `${home}/.codex`
    return { file: `${trace}/config.toml`, trace }
  },
  // The table that `codex mcp add` writes. Its command takes no key.
  files: ({ address }) => [{ format: 'toml', settings: [{ place, value: entry(address) }] }],
  snippet(address) {
    const { url, key } = address
    if (key) return { place: '~/.codex/config.toml', text: tomlTable(place, entry(address)).trimEnd() }
    return typed('codex', 'mcp', 'add', 'csp', '--url', `${url}/mcp`)
  },
}

const place = ['mcp_servers', 'csp']

function entry({ url, key }: ClientAddress) {
  return { url: `${url}/mcp`, ...(key && { http_headers: { Authorization: `Bearer ${key}` } }) }
}
