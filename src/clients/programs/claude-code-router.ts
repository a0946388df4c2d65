import type { ClientAddress, ClientManifest } from '../client.ts'
import { braveFound, braveSearch } from '../requests.ts'
import { noKey, variables } from '../settings.ts'

export const claudeCodeRouter: ClientManifest = {
  id: 'claude-code-router',
  title: 'claude-code-router',
  group: 'coding',
  place: 'Variables of a Fusion model with web_search (provider Brave), or of the router',
  fileHint: 'a file of variables that it is started with, such as .env',
  files: ({ address }) => [{ format: 'env', settings: variables(variablesFor(address)) }],
  request: {
    kind: 'http',
    api: 'Brave',
    patienceMs: 15_000,
    search(address, query) {
      const { BRAVE_SEARCH_ENDPOINT, BRAVE_SEARCH_API_KEY } = variablesFor(address)
      return braveSearch(BRAVE_SEARCH_ENDPOINT, query, BRAVE_SEARCH_API_KEY)
    },
    found: braveFound,
  },
  steps: () => [
    'Its configuration is a database (config.sqlite), which csp does not write; since version 3 it reads config.json no more. In its page: Fusion, a model with the tool web_search, provider Brave, and these two as its variables. Or start it with them in its environment: they hold for every Fusion model whose own are empty.',
  ],
}

function variablesFor({ url, key = noKey }: ClientAddress) {
  return { BRAVE_SEARCH_ENDPOINT: `${url}/res/v1/web/search`, BRAVE_SEARCH_API_KEY: key }
}
