import { createsJobs, listsJobs, readsJob } from '../../serve/jobs.ts'
import { perplexityAsync } from './async-chat.ts'

export { perplexityAgent } from './agent.ts'
export { perplexityChat } from './chat.ts'
export { perplexitySearch } from './search.ts'

export const createAsync = createsJobs(perplexityAsync)

export const readAsync = readsJob(perplexityAsync, 'A chat completion that was asked for in the background')

export const listAsync = listsJobs(
  perplexityAsync,
  'The chat completions that the caller asked for in the background',
  ({ data, next }) => ({ requests: data, next_token: next ?? null }),
)
