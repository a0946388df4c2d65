import { defineVendor, withV1 } from '../../vendor.ts'
import { perplexityError } from './error.ts'

const inBackground = [...withV1('/async/chat/completions'), ...withV1('/async/sonar')]

/** Its search and its agent also answer at paths of `shared-routes.ts`. */
export const perplexity = defineVendor({
  name: 'perplexity',
  title: 'Perplexity',
  base: '',
  formatError: perplexityError,
  prefixes: withV1('/async'),
  load: () => import('./endpoints.ts'),
  routes: [
    [['/chat/completions', ...withV1('/sonar')], { POST: 'perplexityChat' }],
    [withV1('/agent'), { POST: 'perplexityAgent' }],
    [inBackground, { POST: 'createAsync', GET: 'listAsync' }],
    [inBackground.map((path) => `${path}/:id`), { GET: 'readAsync' }],
  ],
})
