import type { ClientManifest } from '../client.ts'
import { mcp } from '../requests.ts'
import { mcpByUrl, variables } from '../settings.ts'

/** It gets a file of csp's own, which Continue reads beside the configuration that is chosen, whichever that is. */
export const continueDev: ClientManifest = {
  id: 'continue',
  title: 'Continue',
  group: 'coding',
  request: mcp,
  where({ home, variable }) {
    const trace = variable('CONTINUE_GLOBAL_DIR') || `${home}/.continue`
    return { file: `${trace}/mcpServers/csp.yaml`, trace }
  },
  files({ address }) {
    const { url, headers } = mcpByUrl(address)
    const value = { name: 'csp', type: 'streamable-http', url, ...(headers && { requestOptions: { headers } }) }
    const header = variables({ name: 'csp', version: '1.0.0', schema: 'v1' })
    const place = ['mcpServers', { member: 'name', value: 'csp' }]
    return [{ format: 'yaml', settings: [...header, { place, value }] }]
  },
}
