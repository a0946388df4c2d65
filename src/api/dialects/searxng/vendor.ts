import { speak } from '../../speak.ts'
import { routesWithV1, type Vendor, withV1 } from '../../vendor.ts'
import { messageError } from '../shared/errors.ts'

/** Also for `/search`, which `shared-routes.ts` divides between SearXNG and Perplexity. */
export const loadSearxngSearch = speak(async () => (await import('./search.ts')).searxngSearch)

export const searxng: Vendor = {
  name: 'searxng',
  title: 'SearXNG',
  base: '/searxng',
  formatError: messageError,
  prefixes: withV1('/searxng'),
  routes: routesWithV1('/searxng/search', { GET: loadSearxngSearch, POST: loadSearxngSearch }),
}
