import type { SearchEvents } from '../../../domain/search.ts'
import { done } from '../../answer/events.ts'
import { searcherPrompt } from '../../answer/prompt/prompt.ts'
import type { Task } from './engines.ts'
import { converse } from './reply.ts'
import { Lease } from './worker/lease.ts'

/**
 * `answer` by the agent loop: it searches as often as it needs. Three model calls and more; the text streams. If it
 * neither searches nor calls a tool of the caller's, the session is cleared and it is asked once more.
 */
export async function* answerByAgent(task: Task): SearchEvents {
  const { engines, request } = task
  const lease = new Lease(engines.pool, 'searcher', engines.modelFor(request))
  const promptThat = (insists: boolean) => searcherPrompt(request, engines.now(), insists)
  try {
    yield* converse(task, { lease, prompt: promptThat(false), insist: promptThat(true), sources: [], searches: 0 })
  } finally {
    lease.end()
  }
}

/** `results` by an agent, where the CLI has no direct engine. Two model calls: the loop is left at the first results. */
export async function* listResultsByAgent(task: Task): SearchEvents {
  for await (const event of answerByAgent(task)) {
    yield event
    if (event.type === 'search-results') break
  }
  yield done({ searches: 1, model: task.engines.model })
}
