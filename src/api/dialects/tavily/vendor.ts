import { defineVendor, withV1 } from '../../vendor.ts'
import { tavilyError } from './error.ts'

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
