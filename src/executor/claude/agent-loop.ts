import type { SearchError } from '../../domain/error.ts'
import type { SearchEvent, SearchRequest } from '../../domain/search.ts'
import { runTurn } from './agent.ts'
import type { Engines } from './engines.ts'
import { ungrounded } from './explain.ts'
import { Grounding } from './grounding.ts'
import { searcherPrompt } from './prompt.ts'
import type { Road } from './roads.ts'
import { readOutput } from './rows.ts'
import { done, tellSearch } from './tell.ts'
import type { Worker } from './worker.ts'

/**
 * `answer` by the agent loop: it searches as often as it needs. Three model calls and more; the text streams.
 * What it writes before the first results rests on nothing and is dropped. If it never searches, the session is cleared
 * and it is asked once more.
 */
export async function* answerByAgent(engines: Engines, request: SearchRequest, signal: AbortSignal): Road {
  const { pool } = engines
  const worker = pool.take('searcher', engines.modelFor(request))
  try {
    if (yield* loop(engines, worker, request, false, signal)) return
    await worker.clear(signal)
    if (yield* loop(engines, worker, request, true, signal)) return
    throw ungrounded()
  } finally {
    pool.giveBack('searcher', worker)
  }
}

/** `results` by an agent, where the CLI has no direct engine. Two model calls: the loop is left at the first results. */
export async function* listResultsByAgent(engines: Engines, request: SearchRequest, signal: AbortSignal): Road {
  for await (const event of answerByAgent(engines, request, signal)) {
    yield event
    if (event.type === 'search-results') break
  }
  yield done({ searches: 1, model: engines.model })
}

/** Returns whether it searched. */
async function* loop(
  engines: Engines,
  worker: Worker,
  request: SearchRequest,
  insist: boolean,
  signal: AbortSignal,
): AsyncGenerator<SearchEvent, boolean, undefined> {
  const grounding = new Grounding()
  const queries = new Map<string, string>()
  let searches = 0
  let failure: SearchError | undefined
  const prompt = searcherPrompt(request, engines.now(), insist)
  for await (const event of runTurn(worker, engines.turn(request, prompt, signal))) {
    switch (event.type) {
      case 'search-start':
        queries.set(event.id, event.query)
        break
      case 'search-output': {
        searches++
        const { rows } = readOutput(event.output, request, engines.now())
        grounding.addSources(rows)
        yield* tellSearch(event.id, queries.get(event.id) ?? '', rows)
        break
      }
      case 'search-failed':
        failure = event.error
        break
      case 'text-delta':
        if (searches > 0) yield* grounding.push(event.text)
        break
      case 'end':
        if (searches === 0) break
        yield* grounding.end()
        yield done({ searches, model: event.model, result: event.result })
        break
    }
  }
  if (searches === 0 && failure) throw failure
  return searches > 0
}
