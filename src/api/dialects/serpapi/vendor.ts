import { speak } from '../../speak.ts'
import type { Vendor } from '../../vendor.ts'
import { messageError } from '../shared/errors.ts'

const search = speak(async () => (await import('./search.ts')).serpapiSearch)

export const serpapi: Vendor = {
  name: 'serpapi',
  title: 'SerpApi',
  base: '/serpapi',
  formatError: messageError,
  prefixes: ['/serpapi', '/search.json'],
  keyParameter: 'api_key',
  routes: ['/search.json', '/serpapi/search.json', '/serpapi/search'].map((path) => ({
    path,
    methods: { GET: search },
  })),
}
