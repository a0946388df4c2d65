import { defineVendor } from '../../vendor.ts'
import { responsesError } from './error.ts'

/** Where clients made for Azure find everything: the address of csp and one of these. */
export const azureBases = ['/openai', '/openai/v1'] as const

/** `shared-routes.ts` divides requests for responses at the other bases between OpenAI and Perplexity. */
const jobs = ['', '/v1', ...azureBases].map((base) => `${base}/responses/:id`)

export const openai = defineVendor({
  name: 'openai',
  title: 'OpenAI',
  base: '/v1',
  formatError: responsesError,
  prefixes: ['/v1', '/openai'],
  load: () => import('./endpoints.ts'),
  routes: [
    [['/v1/chat/completions', '/openai/v1/chat/completions'], { POST: 'chat' }],
    [['/v1/alpha/search'], { POST: 'alphaSearch' }],
    [['/openai/deployments/:model/chat/completions'], { POST: 'deployment' }],
    [azureBases.map((base) => `${base}/responses`), { POST: 'responses' }],
    [jobs, { GET: 'readResponse', DELETE: 'deleteResponse' }],
    [jobs.map((path) => `${path}/cancel`), { POST: 'cancelResponse' }],
  ],
})
