import { defineVendor } from '../../vendor.ts'
import { googleError } from './error.ts'

export const google = defineVendor({
  name: 'google',
  title: 'Google Custom Search',
  // Google's clients drop a path from the address that they are given.
  base: '',
  formatError: googleError,
  prefixes: ['/customsearch', '/google'],
  keyParameter: 'key',
  load: () => import('./search.ts'),
  routes: ['/customsearch/v1', '/google/customsearch/v1'].map((base) => [
    [base, `${base}/siterestrict`],
    { GET: 'googleSearch' },
  ]),
})
