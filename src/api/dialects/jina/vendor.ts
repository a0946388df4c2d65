import { defineVendor, withV1 } from '../../vendor.ts'
import { jinaError } from './error.ts'

export const jina = defineVendor({
  name: 'jina',
  title: 'Jina Reader and Search',
  base: '/jina',
  formatError: jinaError,
  prefixes: [...withV1('/jina'), ...withV1('/r')],
  load: () => import('./endpoints.ts'),
  routes: [
    [withV1('/jina'), { GET: 'jinaSearch', POST: 'jinaSearch' }],
    [withV1('/jina/:q{.+}'), { GET: 'jinaSearchInPath' }],
    [withV1('/r'), { POST: 'jinaReader' }],
    // The address stands in the path as it is.
    [withV1('/r/:url{.+}'), { GET: 'jinaReader', POST: 'jinaReader' }],
  ],
})
