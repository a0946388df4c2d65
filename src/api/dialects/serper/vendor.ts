import type { ErrorBody, Failure } from '../../http/failure.ts'
import { speak, speakPages } from '../../speak.ts'
import type { Vendor } from '../../vendor.ts'

/** Also for `/search`, which `shared-routes.ts` divides between SearXNG, Perplexity and Serper. */
export const loadSerperSearch = speak(async () => (await import('./search.ts')).serperSearches('search'))

const news = speak(async () => (await import('./search.ts')).serperSearches('news'))
const searchByQuery = speak(async () => (await import('./search.ts')).serperSearch('search'))
const newsByQuery = speak(async () => (await import('./search.ts')).serperSearch('news'))

export const serper: Vendor = {
  name: 'serper',
  title: 'Serper',
  base: '/serper',
  formatError: serperError,
  prefixes: ['/serper'],
  keyParameter: 'apiKey',
  routes: [
    { path: '/serper/search', methods: { GET: searchByQuery, POST: loadSerperSearch } },
    { path: '/serper/news', methods: { GET: newsByQuery, POST: news } },
  ],
  pageRoutes: [
    { path: '/serper/scrape', methods: { POST: speakPages(async () => (await import('./scrape.ts')).serperScrape) } },
  ],
}

/** Serper answers 403 to a wrong key. */
function serperError({ code, status, message }: Failure): ErrorBody {
  const statusCode = code === 'unauthorized' ? 403 : status
  return { status: statusCode, body: { message, statusCode } }
}
