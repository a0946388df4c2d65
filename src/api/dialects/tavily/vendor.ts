import type { ErrorBody, Failure } from '../../exchange/failure.ts'
import { defineVendor, withV1 } from '../../vendor.ts'

export const tavily = defineVendor({
  name: 'tavily',
  title: 'Tavily',
  base: '/tavily',
  formatError: tavilyError,
  prefixes: withV1('/tavily'),
  keyField: 'api_key',
  load: () => import('./endpoints.ts'),
  routes: [
    [withV1('/tavily/search'), { POST: 'tavilySearch' }],
    [withV1('/tavily/research'), { POST: 'createResearch' }],
    [withV1('/tavily/research/:id'), { GET: 'readResearch' }],
    [withV1('/tavily/extract'), { POST: 'tavilyExtract' }],
  ],
})

function tavilyError({ status, message }: Failure): ErrorBody {
  return { status, body: { detail: { error: message } } }
}
