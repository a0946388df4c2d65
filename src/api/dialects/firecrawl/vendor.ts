import { defineVendor } from '../../vendor.ts'
import { firecrawlError } from './error.ts'

export const firecrawl = defineVendor({
  name: 'firecrawl',
  title: 'Firecrawl',
  base: '/firecrawl',
  formatError: firecrawlError,
  prefixes: ['/v2', '/firecrawl'],
  load: () => import('./endpoints.ts'),
  routes: [
    [['/v2/search', '/firecrawl/v2/search'], { POST: 'firecrawlSearch' }],
    [['/firecrawl/v1/search'], { POST: 'firecrawlSearchV1' }],
    [['/v1/scrape', '/v2/scrape', '/firecrawl/v1/scrape', '/firecrawl/v2/scrape'], { POST: 'firecrawlScrape' }],
  ],
})
