import { defineVendor, withV1 } from '../../vendor.ts'
import { messageError } from '../shared/errors.ts'

export const searxng = defineVendor({
  name: 'searxng',
  title: 'SearXNG',
  base: '/searxng',
  formatError: messageError,
  prefixes: withV1('/searxng'),
  load: () => import('./search.ts'),
  routes: [[withV1('/searxng/search'), { GET: 'searxngSearch', POST: 'searxngSearch' }]],
})
