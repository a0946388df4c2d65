import type { FinishReason, SearchEvent, SearchResult, Usage } from '../../domain/search.ts'
import type { TurnResult } from '../backends/claude/worker/events.ts'

/** A search and what it found, as the two events of one moment: a search that fails is not told at all. */
export function* tellSearch(id: string, query: string, results: readonly SearchResult[]): Generator<SearchEvent> {
  yield { type: 'search-start', id, query }
  yield { type: 'search-results', id, results }
}

export interface Finished {
  readonly searches: number
  readonly model: string
  /** Of the turns that wrote the text, if any did. */
  readonly result?: Pick<TurnResult, 'stopReason' | 'inputTokens' | 'outputTokens'> | undefined
  /** Whether it ends with calls of the caller's tools. */
  readonly calls?: boolean | undefined
}

/** The last event. */
export function done({ searches, model, result, calls = false }: Finished): SearchEvent {
  const usage: Usage = { searches, inputTokens: result?.inputTokens ?? 0, outputTokens: result?.outputTokens ?? 0 }
  return { type: 'done', reason: finishReason(result?.stopReason, calls), usage, model }
}

function finishReason(stopReason: string | undefined, calls: boolean): FinishReason {
  if (stopReason === 'max_tokens') return 'length'
  if (stopReason === 'refusal') return 'refusal'
  return calls ? 'tool-calls' : 'stop'
}
