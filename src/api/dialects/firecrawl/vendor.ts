import type { ErrorBody, Failure } from '../../http/failure.ts'
import { speak, speakPages } from '../../speak.ts'
import type { Vendor } from '../../vendor.ts'

const searchV1 = speak(async () => (await import('./search.ts')).firecrawlSearch(1))
const searchV2 = speak(async () => (await import('./search.ts')).firecrawlSearch(2))

const scrape = speakPages(async () => (await import('./scrape.ts')).firecrawlScrape)

export const firecrawl: Vendor = {
  name: 'firecrawl',
  title: 'Firecrawl',
  base: '/firecrawl',
  formatError: firecrawlError,
  prefixes: ['/v2', '/firecrawl'],
  routes: [
    { path: '/v2/search', methods: { POST: searchV2 } },
    { path: '/firecrawl/v2/search', methods: { POST: searchV2 } },
    { path: '/firecrawl/v1/search', methods: { POST: searchV1 } },
  ],
  pageRoutes: ['/v1/scrape', '/v2/scrape', '/firecrawl/v1/scrape', '/firecrawl/v2/scrape'].map((path) => ({
    path,
    methods: { POST: scrape },
  })),
}

function firecrawlError({ status, code, message }: Failure): ErrorBody {
  return { status, body: { success: false, code: code.replaceAll('-', '_').toUpperCase(), error: message } }
}
