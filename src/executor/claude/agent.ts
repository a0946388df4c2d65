import type { SearchError } from '../../domain/error.ts'
import type { RateLimit, TurnResult } from './events.ts'
import { explainFailure, explainToolError } from './explain.ts'
import type { ToolOutput } from './tool-output.ts'
import type { Worker } from './worker.ts'

/** What a turn of a worker means for a search. */
export type AgentEvent =
  | { readonly type: 'search-start'; readonly id: string; readonly query: string }
  | { readonly type: 'search-output'; readonly id: string; readonly output: ToolOutput }
  | { readonly type: 'search-failed'; readonly id: string; readonly error: SearchError }
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'end'; readonly result: TurnResult; readonly model: string }

export interface TurnOptions {
  readonly prompt: string
  readonly model: string
  readonly signal: AbortSignal
  readonly now: () => Date
  readonly onRateLimit: (limit: RateLimit) => void
}

/** Runs one prompt on a worker. Throws a `SearchError` when the turn fails; else the last event is `end`. */
export async function* runTurn(worker: Worker, options: TurnOptions): AsyncGenerator<AgentEvent, void, undefined> {
  const searches = new Set<string>()
  let wroteText = false
  let betweenMessages = false
  let limit: RateLimit | undefined
  for await (const event of worker.turn(options.prompt, options.model, options.signal)) {
    switch (event.type) {
      case 'message-start':
        betweenMessages = wroteText
        break
      case 'text-delta':
        yield { type: 'text-delta', text: clean(betweenMessages ? `\n\n${event.text}` : event.text) }
        betweenMessages = false
        wroteText = true
        break
      case 'tool-use':
        if (event.name !== 'WebSearch') break
        searches.add(event.id)
        yield { type: 'search-start', id: event.id, query: clean(event.query) }
        break
      case 'tool-result':
        if (searches.has(event.id)) yield* readSearch(event.id, event.output, limit, options)
        break
      case 'rate-limit':
        limit = event.limit
        options.onRateLimit(limit)
        break
      case 'result':
        yield* finish(event.result, wroteText, limit, options, worker.model)
        break
    }
  }
}

/** A failed search does not fail the turn: the model goes on without it, and may search again. */
function* readSearch(
  id: string,
  output: ToolOutput | string | undefined,
  limit: RateLimit | undefined,
  { now }: TurnOptions,
): Generator<AgentEvent> {
  if (typeof output === 'string') {
    const error = explainFailure({ text: output, resetsAt: limit?.resetsAt }, now())
    yield { type: 'search-failed', id, error }
  } else if (output?.error) yield { type: 'search-failed', id, error: explainToolError(output.error) }
  else if (output?.searched) yield { type: 'search-output', id, output }
}

function* finish(
  result: TurnResult,
  wroteText: boolean,
  limit: RateLimit | undefined,
  { now }: TurnOptions,
  model: string,
): Generator<AgentEvent> {
  if (result.failed && result.stopReason !== 'refusal') {
    throw explainFailure({ text: result.text, apiStatus: result.apiStatus, resetsAt: limit?.resetsAt }, now())
  }
  // A CLI that sends no partial messages still sends the whole text at the end.
  if (!wroteText && result.text && !result.failed) yield { type: 'text-delta', text: clean(result.text) }
  yield { type: 'end', result, model }
}

/** A model may quote the invisible joiner that the prompt put behind each `@`. */
const clean = (text: string) => text.replaceAll('\u2060', '')
