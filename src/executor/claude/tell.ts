import type { FinishReason, SearchEvent, SearchResult, Usage } from '../../domain/search.ts'
import type { TurnResult } from './events.ts'

/** A search and what it found, as the two events of one moment: a search that fails is not told at all. */
export function* tellSearch(id: string, query: string, results: readonly SearchResult[]): Generator<SearchEvent> {
  yield { type: 'search-start', id, query }
  yield { type: 'search-results', id, results }
}

/** The last event. `result`: of the turn that wrote the text, if one did. */
export function done(of: { searches: number; model: string; result?: TurnResult | undefined }): SearchEvent {
  const { searches, model, result } = of
  const usage: Usage = { searches, inputTokens: result?.inputTokens ?? 0, outputTokens: result?.outputTokens ?? 0 }
  return { type: 'done', reason: finishReason(result?.stopReason), usage, model }
}

function finishReason(stopReason: string | undefined): FinishReason {
  if (stopReason === 'max_tokens') return 'length'
  return stopReason === 'refusal' ? 'refusal' : 'stop'
}
