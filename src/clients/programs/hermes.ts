import type { ClientAddress, ClientManifest } from '../client.ts'
import { post, resultTexts } from '../requests.ts'
import { below, noKey, variables } from '../settings.ts'

/** By Tavily's API, with the key in the body. */
export const hermes: ClientManifest = {
  id: 'hermes',
  title: 'Hermes',
  group: 'assistant',
  where({ home, platform, variable }) {
    const usual = platform === 'win32' ? `${variable('LOCALAPPDATA') || home}/hermes` : `${home}/.hermes`
    const trace = variable('HERMES_HOME') || usual
    return { file: `${trace}/config.yaml`, trace }
  },
  files: ({ address }) => [
    { format: 'yaml', settings: below('web', { search_backend: 'tavily', extract_backend: 'tavily' }) },
    { beside: '.env', format: 'env', settings: variables(variablesFor(address)) },
  ],
  request: {
    kind: 'http',
    readsPages: true,
    api: 'Tavily',
    patienceMs: 60_000,
    search(address, query) {
      const { TAVILY_BASE_URL: base, TAVILY_API_KEY: api_key } = variablesFor(address)
      const options = { max_results: 5, include_raw_content: false, include_images: false }
      return post(`${base}/search`, { query, ...options, api_key })
    },
    found: (reply) => resultTexts(reply, 'url'),
  },
  steps: () => ['Start Hermes again: it reads its configuration when it starts.'],
}

function variablesFor({ url, key = noKey }: ClientAddress) {
  return { TAVILY_BASE_URL: `${url}/tavily`, TAVILY_API_KEY: key }
}
