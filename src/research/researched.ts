import { SearchError, toSearchError, traitsOf } from '../domain/error.ts'
import type { AnswerRequest, SearchEvents, SearchRequest } from '../domain/search.ts'
import type { Executor, SearchContext } from '../executor/executor.ts'
import { layer } from '../executor/layers/layer.ts'
import { outlineRequest } from './planner.ts'
import { Research } from './research.ts'

/**
 * Makes the reports that requests ask for, of searches of the inner executor and calls of its model. Where no backend has a
 * model that plans, the request gets the one answer that it gets without.
 */
export function researched(inner: Executor): Executor {
  return layer(inner, {
    search: (request, context) =>
      isResearch(request) ? report(inner, request, context) : inner.search(request, context),
  })
}

/** A conversation that waits for the caller's functions is an agent's, which searches by itself. */
function isResearch(request: SearchRequest): request is AnswerRequest {
  const { want, research, sources, tools = [], continuation = [] } = request
  return want === 'answer' && research !== undefined && !sources && tools.length === 0 && continuation.length === 0
}

async function* report(inner: Executor, request: AnswerRequest, context: SearchContext): SearchEvents {
  const { research: effort = 'medium', ...answer } = request
  const reason =
    (inner.supports?.(outlineRequest(request, 1)) ?? true) ? undefined : 'No configured backend has a model.'
  const research = new Research(inner, request, effort, context)
  const obstacle = reason ?? (await obstacleTo(research, context))
  if (obstacle === undefined) return yield* pausing(research.run())
  for await (const event of inner.search(answer, context)) {
    yield event
    const text = `One answer takes the place of the report. ${obstacle}`
    if (event.type === 'backend') yield { type: 'research', step: { kind: 'note', text } }
  }
}

/** Says of a limit that it ends nothing: a run with the last progress goes on. */
async function* pausing(events: SearchEvents): SearchEvents {
  try {
    yield* events
  } catch (error) {
    const { code, message, forOthers, retryAfterSeconds, isForAll } = toSearchError(error)
    if (code !== 'rate-limited') throw error
    throw new SearchError(code, `The research pauses. ${message}`, {
      cause: error,
      retryAfterSeconds,
      isForAll,
      forOthers: `The research pauses. ${forOthers}`,
    })
  }
}

/** Why no outline can be made now: a lesser answer is better than none. What can go on later is not replaced. */
async function obstacleTo(research: Research, { research: run }: SearchContext): Promise<string | undefined> {
  try {
    await research.outline()
    return undefined
  } catch (error) {
    const failure = toSearchError(error)
    if (run || !traitsOf(failure.code).isOutage) throw failure
    return failure.message
  }
}
