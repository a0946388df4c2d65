import { speak } from '../../speak.ts'
import type { Vendor } from '../../vendor.ts'
import { googleError } from './error.ts'

const search = speak(async () => (await import('./search.ts')).googleSearch)

export const google: Vendor = {
  name: 'google',
  title: 'Google Custom Search',
  // Google's clients drop a path from the address that they are given.
  base: '',
  formatError: googleError,
  prefixes: ['/customsearch', '/google'],
  keyParameter: 'key',
  routes: ['/customsearch/v1', '/google/customsearch/v1'].flatMap((base) => [
    { path: base, methods: { GET: search } },
    { path: `${base}/siterestrict`, methods: { GET: search } },
  ]),
}
