import { defineVendor } from '../../vendor.ts'
import { bingError } from './error.ts'

export const bing = defineVendor({
  name: 'bing',
  title: 'Bing Web Search',
  base: '/bing',
  formatError: bingError,
  prefixes: ['/v7.0', '/bing'],
  load: () => import('./endpoints.ts'),
  routes: [
    [['/v7.0/search', '/bing/v7.0/search'], { GET: 'bingSearch' }],
    [['/v7.0/news/search', '/bing/v7.0/news/search'], { GET: 'bingNews' }],
  ],
})
