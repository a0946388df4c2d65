import type { ClientAddress, ClientManifest } from '../client.ts'
import { memberOf, post, textsOf } from '../requests.ts'
import { inContainer, noKey, variables } from '../settings.ts'

/** By Firecrawl's API: SearXNG, the other one with an address to set, is called without a key. */
export const lobeChat: ClientManifest = {
  id: 'lobechat',
  title: 'LobeChat',
  group: 'server',
  place: 'Variables of its server',
  fileHint: 'the file of variables that its server is started with, such as .env',
  files: ({ address }) => [{ format: 'env', settings: variables(variablesFor(address)) }],
  request: {
    kind: 'http',
    readsPages: true,
    api: 'Firecrawl',
    search(address, query) {
      const { FIRECRAWL_URL, FIRECRAWL_API_KEY } = variablesFor(address)
      const sources = [{ type: 'web' }, { type: 'news' }]
      return post(`${FIRECRAWL_URL}/search`, { limit: 20, query, sources }, FIRECRAWL_API_KEY)
    },
    found: (reply) => textsOf(memberOf(memberOf(reply, 'data'), 'web'), 'url'),
  },
  steps: (addresses) => ['Start LobeChat again with these variables.', ...inContainer('lobechat', addresses)],
}

function variablesFor({ url, key = noKey }: ClientAddress) {
  return {
    SEARCH_PROVIDERS: 'firecrawl',
    CRAWLER_IMPLS: 'firecrawl',
    FIRECRAWL_URL: `${url}/firecrawl/v2`,
    FIRECRAWL_API_KEY: key,
  }
}
