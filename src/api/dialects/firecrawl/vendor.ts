import type { ErrorBody, Failure } from '../../exchange/failure.ts'
import { defineVendor } from '../../vendor.ts'

export const firecrawl = defineVendor({
  name: 'firecrawl',
  title: 'Firecrawl',
  base: '/firecrawl',
  formatError: firecrawlError,
  prefixes: ['/v2', '/firecrawl'],
  load: async () => ({ ...(await import('./search.ts')), ...(await import('./scrape.ts')) }),
  routes: [
    [['/v2/search', '/firecrawl/v2/search'], { POST: 'firecrawlSearch' }],
    [['/firecrawl/v1/search'], { POST: 'firecrawlSearchV1' }],
    [['/v1/scrape', '/v2/scrape', '/firecrawl/v1/scrape', '/firecrawl/v2/scrape'], { POST: 'firecrawlScrape' }],
  ],
})

function firecrawlError({ status, code, message }: Failure): ErrorBody {
  return { status, body: { success: false, code: code.replaceAll('-', '_').toUpperCase(), error: message } }
}
