import { defineVendor } from '../../vendor.ts'
import { messageError } from '../shared/errors.ts'

export const serpapi = defineVendor({
  name: 'serpapi',
  title: 'SerpApi',
  base: '/serpapi',
  formatError: messageError,
  prefixes: ['/serpapi', '/search.json'],
  keyParameter: 'api_key',
  load: () => import('./search.ts'),
  routes: [[['/search.json', '/serpapi/search.json', '/serpapi/search'], { GET: 'serpapiSearch' }]],
})
