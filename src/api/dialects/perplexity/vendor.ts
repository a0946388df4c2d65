import { routesWithV1, speak, type Vendor, withV1 } from '../../vendor.ts'
import { perplexityError } from './error.ts'

const chat = speak(async () => (await import('./chat.ts')).perplexityChat)

/** For `/search`, which `shared-routes.ts` divides between SearXNG and Perplexity. */
export const loadPerplexitySearch = speak(async () => (await import('./search.ts')).perplexitySearch)

/** For `/responses`, too, which `shared-routes.ts` divides between OpenAI and Perplexity. */
export const loadPerplexityAgent = speak(async () => (await import('./agent.ts')).perplexityAgent)

export const perplexity: Vendor = {
  name: 'perplexity',
  title: 'Perplexity',
  base: '',
  formatError: perplexityError,
  // Asynchronous requests are not supported, but their clients read the error.
  prefixes: withV1('/async'),
  routes: [
    { path: '/chat/completions', methods: { POST: chat } },
    ...routesWithV1('/sonar', { POST: chat }),
    ...routesWithV1('/agent', { POST: loadPerplexityAgent }),
  ],
}
