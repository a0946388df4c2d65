import type { FinishReason, SearchEvent, SearchResult, Usage } from '../../domain/search.ts'

/**
 * A search and its results, as the two events of one moment. A failed search is not reported at all. `model`: that made
 * it, where it may be another than the one that writes.
 */
export function* reportSearch(
  id: string,
  query: string,
  results: readonly SearchResult[],
  model?: string,
): Generator<SearchEvent> {
  yield { type: 'search-start', id, query, ...(model !== undefined && { model }) }
  yield { type: 'search-results', id, results }
}

export interface Finished {
  readonly searches: number
  readonly model: string
  /** What the turns cost that wrote the text, if any did. */
  readonly result?: TurnCost | undefined
  /** Whether it ends with calls of the caller's tools. */
  readonly calls?: boolean | undefined
  /** Rows that have words only now. */
  readonly late?: readonly SearchResult[] | undefined
}

/** How the turns of a model ended, and what they cost. */
export interface TurnCost {
  /** As the Messages API names it: `end_turn`, `max_tokens`, `refusal`, … */
  readonly stopReason: string | undefined
  /** All tokens that the model read, cached ones included. */
  readonly inputTokens: number
  readonly outputTokens: number
}

/** The last event. */
export function done({ searches, model, result, calls = false, late = [] }: Finished): SearchEvent {
  const usage: Usage = { searches, inputTokens: result?.inputTokens ?? 0, outputTokens: result?.outputTokens ?? 0 }
  const reason = finishReason(result?.stopReason, calls)
  return { type: 'done', reason, usage, model, ...(late.length > 0 && { late }) }
}

function finishReason(stopReason: string | undefined, calls: boolean): FinishReason {
  if (stopReason === 'max_tokens') return 'length'
  if (stopReason === 'refusal') return 'refusal'
  return calls ? 'tool-calls' : 'stop'
}

/** The answer when no search found a page. */
export const nothingFound = 'The web search found no pages for this question.'
