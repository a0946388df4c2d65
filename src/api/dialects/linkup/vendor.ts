import { defineVendor } from '../../vendor.ts'
import { linkupError } from './error.ts'

export const linkup = defineVendor({
  name: 'linkup',
  title: 'Linkup',
  base: '/linkup/v1',
  formatError: linkupError,
  prefixes: ['/linkup'],
  load: () => import('./endpoints.ts'),
  routes: [
    [['/linkup/v1/search', '/linkup/search'], { POST: 'linkupSearch' }],
    [['/linkup/v1/fetch', '/linkup/fetch'], { POST: 'linkupFetch' }],
  ],
})
