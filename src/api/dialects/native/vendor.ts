import { defineVendor, withV1 } from '../../vendor.ts'
import { executeError, nativeError } from './error.ts'

/** Our own search API, and the envelope of every path that belongs to no vendor. */
export const native = defineVendor({
  name: 'native',
  title: 'claude-search-proxy',
  base: '',
  formatError: nativeError,
  prefixes: [...withV1('/health'), ...withV1('/usage')],
  load: () => import('./endpoints.ts'),
  routes: [
    [['/v1/search'], { GET: 'nativeSearchByQuery', POST: 'nativeSearch' }],
    [withV1('/extract'), { POST: 'nativeExtract' }],
    [withV1('/verify'), { POST: 'nativeVerify' }],
  ],
})

/** What one csp sends to another. */
export const execute = defineVendor({
  name: 'execute',
  title: 'Another claude-search-proxy',
  base: '',
  formatError: executeError,
  load: async () => ({ execute: (await import('./execute.ts')).execute }),
  routes: [[withV1('/execute'), { POST: 'execute' }]],
})
