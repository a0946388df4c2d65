import { speak, speakPages } from '../../speak.ts'
import { routesWithV1, type Vendor, withV1 } from '../../vendor.ts'
import { executeError, nativeError } from './error.ts'

/** Our own search API, and the envelope of every path that belongs to no vendor. */
export const native: Vendor = {
  name: 'native',
  title: 'claude-search-proxy',
  base: '',
  formatError: nativeError,
  prefixes: [...withV1('/health'), ...withV1('/usage')],
  routes: [
    {
      path: '/v1/search',
      methods: {
        GET: speak(async () => (await import('./search.ts')).nativeSearch('query')),
        POST: speak(async () => (await import('./search.ts')).nativeSearch('body')),
      },
    },
  ],
  pageRoutes: [
    ...routesWithV1('/extract', { POST: speakPages(async () => (await import('./extract.ts')).nativeExtract) }),
    ...routesWithV1('/verify', { POST: speakPages(async () => (await import('./verify.ts')).nativeVerify) }),
  ],
}

/** What one csp sends to another. */
export const execute: Vendor = {
  name: 'execute',
  title: 'Another claude-search-proxy',
  base: '',
  formatError: executeError,
  routes: routesWithV1('/execute', { POST: speak(async () => (await import('./execute.ts')).execute) }),
}
