import type { ErrorBody, Failure } from '../../dialect.ts'
import { routesWithV1, speak, speakPages, type Vendor, withV1 } from '../../vendor.ts'

export const tavily: Vendor = {
  name: 'tavily',
  title: 'Tavily',
  base: '/tavily',
  formatError: tavilyError,
  prefixes: withV1('/tavily'),
  keyField: 'api_key',
  routes: routesWithV1('/tavily/search', { POST: speak(async () => (await import('./search.ts')).tavilySearch) }),
  pageRoutes: routesWithV1('/tavily/extract', {
    POST: speakPages(async () => (await import('./extract.ts')).tavilyExtract),
  }),
}

function tavilyError({ status, message }: Failure): ErrorBody {
  return { status, body: { detail: { error: message } } }
}
