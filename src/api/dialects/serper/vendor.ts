import type { ErrorBody, Failure } from '../../exchange/failure.ts'
import { defineVendor } from '../../vendor.ts'

export const serper = defineVendor({
  name: 'serper',
  title: 'Serper',
  base: '/serper',
  formatError: serperError,
  prefixes: ['/serper'],
  keyParameter: 'apiKey',
  load: async () => ({ ...(await import('./search.ts')), ...(await import('./scrape.ts')) }),
  routes: [
    [['/serper/search'], { GET: 'serperSearch', POST: 'serperSearches' }],
    [['/serper/news'], { GET: 'serperNews', POST: 'serperNewsSearches' }],
    [['/serper/scrape'], { POST: 'serperScrape' }],
  ],
})

/** Serper answers 403 to a wrong key. */
function serperError({ code, status, message }: Failure): ErrorBody {
  const statusCode = code === 'unauthorized' ? 403 : status
  return { status: statusCode, body: { message, statusCode } }
}
