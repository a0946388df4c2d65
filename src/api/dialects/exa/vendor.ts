import { defineVendor, withV1 } from '../../vendor.ts'
import { exaError } from './error.ts'

export const exa = defineVendor({
  name: 'exa',
  title: 'Exa',
  base: '/exa',
  formatError: exaError,
  prefixes: withV1('/exa'),
  load: () => import('./endpoints.ts'),
  routes: [
    [withV1('/exa/search'), { POST: 'exaSearch' }],
    [withV1('/exa/findSimilar'), { POST: 'exaFindSimilar' }],
    [withV1('/exa/answer'), { POST: 'exaAnswer' }],
    [withV1('/exa/contents'), { POST: 'exaContents' }],
  ],
})
