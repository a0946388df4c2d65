import type { SearchEvent, SearchRequest } from '../../domain/search.ts'
import { runTurn } from './agent.ts'
import type { Engines } from './engines.ts'
import { explainToolError, ungrounded } from './explain.ts'
import { Grounding } from './grounding.ts'
import { answerQuery, resultsQuery, textPrompt, writerPrompt } from './prompt.ts'
import { type Found, readOutput } from './rows.ts'
import { done, tellSearch } from './tell.ts'
import type { ToolOutput } from './tool-output.ts'
import type { Worker } from './worker.ts'

/** One way to serve a request. It yields a whole reply, `done` included. */
export type Road = AsyncGenerator<SearchEvent, void, undefined>

/** `results`, over the direct engine: one model call. */
export async function* listResults(engines: Engines, request: SearchRequest, signal: AbortSignal): Road {
  yield* tellSearch('search-1', request.query, (await findSources(engines, request, signal)).rows)
  yield done({ searches: 1, model: engines.model })
}

/** `answer` at `fast`: the search call's own summary is the answer. One model call. */
export async function* answerFast(engines: Engines, request: SearchRequest, signal: AbortSignal): Road {
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
export async function* answerFromSources(engines: Engines, request: SearchRequest, signal: AbortSignal): Road {
  const { pool } = engines
  // Taken before the search, so that a worker that has to be started starts meanwhile.
  const worker = pool.take('writer', engines.modelFor(request))
  try {
    const { rows, notes } = await findSources(engines, request, signal)
    yield* tellSearch('search-1', request.query, rows)
    if (rows.length > 0) return yield* write(engines, worker, request, { rows, notes }, signal)
    yield { type: 'text-delta', text: nothingFound }
    yield done({ searches: 1, model: engines.model })
  } finally {
    pool.giveBack('writer', worker)
  }
}

/** `text`: plain inference, no tool and no search. One model call. It claims no sources, so it is held to none. */
export async function* writeText(engines: Engines, request: SearchRequest, signal: AbortSignal): Road {
  const { pool } = engines
  const worker = pool.take('writer', engines.modelFor(request))
  try {
    for await (const event of runTurn(worker, engines.turn(request, textPrompt(request), signal))) {
      if (event.type === 'text-delta') yield event
      if (event.type === 'end') yield done({ searches: 0, model: event.model, result: event.result })
    }
  } finally {
    pool.giveBack('writer', worker)
  }
}

/** Writes over numbered sources. */
async function* write(
  engines: Engines,
  worker: Worker,
  request: SearchRequest,
  { rows, notes }: Found,
  signal: AbortSignal,
): Road {
  const grounding = new Grounding()
  grounding.addSources(rows)
  const prompt = writerPrompt(request, rows, notes)
  for await (const event of runTurn(worker, engines.turn(request, prompt, signal))) {
    if (event.type === 'text-delta') yield* grounding.push(event.text)
    if (event.type !== 'end') continue
    yield* grounding.end()
    yield done({ searches: 1, model: event.model, result: event.result })
  }
}

async function findSources(engines: Engines, request: SearchRequest, signal: AbortSignal): Promise<Found> {
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
