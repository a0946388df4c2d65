import type { SearchEvents, SearchRequest } from '../../../domain/search.ts'
import { done, tellSearch } from '../../answer/events.ts'
import { Grounding } from '../../answer/grounding/grounding.ts'
import { answerQuery, resultsQuery, textPrompt, writerPrompt } from '../../answer/prompt/prompt.ts'
import { explainToolError, ungrounded } from './cli/errors.ts'
import type { Engines, Task } from './engines.ts'
import { converse } from './reply.ts'
import { type Found, readOutput } from './rows.ts'
import type { ToolOutput } from './search-output.ts'
import { Lease } from './worker/lease.ts'

/** `results`, over the direct engine: one model call. */
export async function* listResults(task: Task): SearchEvents {
  yield* tellSearch('search-1', task.request.query, (await findSources(task)).rows)
  yield done({ searches: 1, model: task.engines.model })
}

/** `answer` at `fast`: the search call's own summary is the answer. One model call. */
export async function* answerFast({ engines, request, signal }: Task): SearchEvents {
  const output = await searchDirectly(engines, request, answerQuery(request, engines.now()), signal)
  const { rows } = readOutput(output, request, engines.now())
  yield* tellSearch('search-1', request.query, rows)
  const grounding = new Grounding()
  grounding.addSources(rows)
  yield* grounding.push(output.text || nothingFound)
  yield* grounding.end()
  yield done({ searches: 1, model: engines.model })
}

/** `answer` at `standard`: search, then write over the numbered sources. Two model calls; the text streams. */
export async function* answerFromSources(task: Task): SearchEvents {
  const { engines, request, shape } = task
  // Taken before the search, so that a worker that has to be started starts meanwhile.
  const lease = new Lease(engines.pool, 'writer', engines.modelFor(request))
  try {
    const { rows, notes } = await findSources(task)
    yield* tellSearch('search-1', request.query, rows)
    if (rows.length > 0 || shape) {
      return yield* converse(task, { lease, prompt: writerPrompt(request, rows, notes), sources: rows, searches: 1 })
    }
    yield { type: 'text-delta', text: nothingFound }
    yield done({ searches: 1, model: engines.model })
  } finally {
    lease.end()
  }
}

/** `text`: plain inference, with the caller's tools if there are any, and no search. One model call. */
export async function* writeText(task: Task): SearchEvents {
  const { engines, request } = task
  const lease = new Lease(engines.pool, 'writer', engines.modelFor(request))
  try {
    yield* converse(task, { lease, prompt: textPrompt(request), sources: [], searches: 0 })
  } finally {
    lease.end()
  }
}

async function findSources({ engines, request, signal }: Task): Promise<Found> {
  const query = resultsQuery(request, engines.excerpts, engines.now())
  return readOutput(await searchDirectly(engines, request, query, signal), request, engines.now())
}

/** One search; one more when the model did not use the tool. Throws when neither searched, or the tool failed. */
async function searchDirectly(
  engines: Engines,
  { filters }: SearchRequest,
  query: string,
  signal: AbortSignal,
): Promise<ToolOutput> {
  const { includeDomains, excludeDomains } = filters
  for (let attempt = 1; attempt <= 2; attempt++) {
    const output = await engines.direct.search({ query, includeDomains, excludeDomains }, signal)
    if (output.error) throw explainToolError(output.error)
    if (output.searched) return output
  }
  throw ungrounded()
}

const nothingFound = 'The web search found no pages for this question.'
