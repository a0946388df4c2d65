import { speak, speakPages } from '../../speak.ts'
import type { Vendor } from '../../vendor.ts'
import { linkupError } from './error.ts'

const search = speak(async () => (await import('./search.ts')).linkupSearch)
const fetch = speakPages(async () => (await import('./fetch.ts')).linkupFetch)

export const linkup: Vendor = {
  name: 'linkup',
  title: 'Linkup',
  base: '/linkup/v1',
  formatError: linkupError,
  prefixes: ['/linkup'],
  routes: ['/linkup/v1/search', '/linkup/search'].map((path) => ({ path, methods: { POST: search } })),
  pageRoutes: ['/linkup/v1/fetch', '/linkup/fetch'].map((path) => ({ path, methods: { POST: fetch } })),
}
