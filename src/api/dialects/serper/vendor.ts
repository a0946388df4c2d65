import { defineVendor } from '../../vendor.ts'
import { serperError } from './error.ts'

export const serper = defineVendor({
  name: 'serper',
  title: 'Serper',
  base: '/serper',
  formatError: serperError,
  prefixes: ['/serper'],
  keyParameter: 'apiKey',
  load: () => import('./endpoints.ts'),
  routes: [
    [['/serper/search'], { GET: 'serperSearch', POST: 'serperSearches' }],
    [['/serper/news'], { GET: 'serperNews', POST: 'serperNewsSearches' }],
    [['/serper/scrape'], { POST: 'serperScrape' }],
  ],
})
