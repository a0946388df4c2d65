import { speak } from '../../speak.ts'
import type { Vendor } from '../../vendor.ts'
import { bingError } from './error.ts'

const search = speak(async () => (await import('./search.ts')).bingSearch)
const news = speak(async () => (await import('./news.ts')).bingNews)

export const bing: Vendor = {
  name: 'bing',
  title: 'Bing Web Search',
  base: '/bing',
  formatError: bingError,
  prefixes: ['/v7.0', '/bing'],
  routes: ['/v7.0', '/bing/v7.0'].flatMap((base) => [
    { path: `${base}/search`, methods: { GET: search } },
    { path: `${base}/news/search`, methods: { GET: news } },
  ]),
}
