import { createsJobs, listsJobs, readsJob, speak } from '../../speak.ts'
import { routesWithV1, type Vendor, withV1 } from '../../vendor.ts'
import { perplexityError } from './error.ts'

const chat = speak(async () => (await import('./chat.ts')).perplexityChat)

/** For `/search`, which `shared-routes.ts` divides between SearXNG and Perplexity. */
export const loadPerplexitySearch = speak(async () => (await import('./search.ts')).perplexitySearch)

/** For `/responses`, too, which `shared-routes.ts` divides between OpenAI and Perplexity. */
export const loadPerplexityAgent = speak(async () => (await import('./agent.ts')).perplexityAgent)

const asynchronous = async () => (await import('./async-chat.ts')).perplexityAsync
const createAsync = createsJobs(asynchronous)
const readAsync = readsJob(asynchronous, 'A chat completion that was asked for in the background')
const listAsync = listsJobs(
  asynchronous,
  'The chat completions that the caller asked for in the background',
  ({ data, next }) => ({ requests: data, next_token: next ?? null }),
)

export const perplexity: Vendor = {
  name: 'perplexity',
  title: 'Perplexity',
  base: '',
  formatError: perplexityError,
  prefixes: withV1('/async'),
  routes: [
    { path: '/chat/completions', methods: { POST: chat } },
    ...routesWithV1('/sonar', { POST: chat }),
    ...routesWithV1('/agent', { POST: loadPerplexityAgent }),
  ],
  jobRoutes: ['/async/chat/completions', '/async/sonar'].flatMap((path) => [
    ...routesWithV1(path, { POST: createAsync, GET: listAsync }),
    ...routesWithV1(`${path}/:id`, { GET: readAsync }),
  ]),
}
