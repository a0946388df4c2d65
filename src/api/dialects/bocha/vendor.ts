import { defineVendor } from '../../vendor.ts'
import { bochaError } from './error.ts'

export const bocha = defineVendor({
  name: 'bocha',
  title: 'Bocha',
  base: '/bocha',
  formatError: bochaError,
  prefixes: ['/bocha', '/v1/web-search'],
  load: () => import('./search.ts'),
  routes: [[['/v1/web-search', '/bocha/v1/web-search'], { POST: 'bochaSearch' }]],
})
