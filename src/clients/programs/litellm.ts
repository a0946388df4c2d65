import type { ClientAddress, ClientManifest } from '../client.ts'
import { post, resultTexts } from '../requests.ts'
import { inContainer, noKey } from '../settings.ts'

export const liteLlm: ClientManifest = {
  id: 'litellm',
  title: 'LiteLLM',
  group: 'server',
  where({ directory }) {
    const file = `${directory}/litellm_config.yaml`
    return { file, trace: file, isOneOfMany: true }
  },
  place: 'litellm_config.yaml',
  fileHint: 'the configuration of its proxy, as in litellm --config FILE',
  files({ address }) {
    const value = { search_tool_name: 'csp', litellm_params: parameters(address) }
    const place = ['search_tools', { member: 'search_tool_name', value: 'csp' }]
    return [{ format: 'yaml', settings: [{ place, value }] }]
  },
  request: {
    kind: 'http',
    api: 'Perplexity',
    search(address, query) {
      const { api_base, api_key } = parameters(address)
      return post(`${api_base}/search`, { query }, api_key)
    },
    found: (reply) => resultTexts(reply, 'url'),
  },
  steps: (addresses) => [
    'Restart the proxy. Its clients then search with the tool csp.',
    ...inContainer('litellm', addresses),
  ],
}

function parameters({ url, key = noKey }: ClientAddress) {
  return { search_provider: 'perplexity', api_base: url, api_key: key }
}
