import type { ClientAddress, ClientManifest } from '../client.ts'
import { post, textsOf } from '../requests.ts'
import { inContainer, noKey, variables } from '../settings.ts'

export const openWebui: ClientManifest = {
  id: 'open-webui',
  title: 'Open WebUI',
  group: 'server',
  place: 'Variables at its first start; after that Admin Panel, Settings, Web Search has fields of these names',
  fileHint: 'the file of variables that its container is started with, such as .env',
  files: ({ address }) => [{ format: 'env', settings: variables(variablesFor(address)) }],
  request: {
    kind: 'http',
    readsPages: true,
    api: 'its own API',
    search(address, query) {
      const { EXTERNAL_WEB_SEARCH_URL, EXTERNAL_WEB_SEARCH_API_KEY } = variablesFor(address)
      return post(EXTERNAL_WEB_SEARCH_URL, { query, count: 3 }, EXTERNAL_WEB_SEARCH_API_KEY)
    },
    found: (reply) => textsOf(reply, 'link'),
  },
  steps: (addresses) => [
    'Open WebUI takes these variables at its very first start. After that its database has them: Admin Panel, Settings, Web Search has fields of the same names; or start it with ENABLE_PERSISTENT_CONFIG=false.',
    ...inContainer('open-webui', addresses),
  ],
}

function variablesFor({ url, key = noKey }: ClientAddress) {
  return {
    ENABLE_WEB_SEARCH: 'true',
    WEB_SEARCH_ENGINE: 'external',
    EXTERNAL_WEB_SEARCH_URL: `${url}/open-webui/search`,
    EXTERNAL_WEB_SEARCH_API_KEY: key,
    WEB_LOADER_ENGINE: 'external',
    EXTERNAL_WEB_LOADER_URL: `${url}/open-webui/loader`,
    EXTERNAL_WEB_LOADER_API_KEY: key,
  }
}
