/** The vocabulary of a research: a question that takes several searches, planned and written by a model. */

import type { ResearchEffort } from './research-step.ts'
import type { AnswerRequest, SearchResult, Usage } from './search.ts'

/** One question of the outline, with what its search found; no rows before it has ended. */
export interface ResearchSearch {
  readonly id: string
  readonly query: string
  /** The rows that the report may cite: those whose page could be read, and that no earlier search had. */
  readonly rows?: readonly SearchResult[] | undefined
}

/**
 * All that a research has learned so far, as JSON. A run that begins with it repeats at most the step that was under way,
 * and pays for no search twice. Of another version: to be thrown away.
 */
export interface ResearchProgress {
  readonly version: 1
  /** In the order in which they ended; those under way are last. Empty before the outline. */
  readonly searches: readonly ResearchSearch[]
  /** Rounds that are planned: the first by the outline, others by what was missing. */
  readonly rounds: number
  /** No further round is planned. */
  readonly isEnough: boolean
  readonly usage: Usage
  /** The time that it has worked, pauses left out. */
  readonly elapsedMs: number
  /** The backend and the model of the outline. */
  readonly backend?: string | undefined
  readonly model?: string | undefined
}

/**
 * How a research is followed and gone on with: the `research` of a `SearchContext`. A research is an ordinary search of the
 * whole executor whose request has `research`: its events are those of a search with `research` events in between, and
 * `collect` folds them into the report. A run that continues from `progress` sends the events of what is known again, so
 * that the fold is whole. A plan's reserve or a usage limit throws `rate-limited` with the seconds until it may go on;
 * a run with the last progress does.
 * @example
 * const request = researchRequest('Which heat pumps work below -20 °C?', 'medium')
 * const onProgress = (progress) => file.write(JSON.stringify(progress))
 * for await (const event of executor.search(request, { signal, caller, research: { progress, onProgress } })) show(event)
 */
export interface ResearchRun {
  /** Where an earlier run of the same request ended. */
  readonly progress?: ResearchProgress | undefined
  /** Called after each step. */
  readonly onProgress?: ((progress: ResearchProgress) => void) | undefined
}

/** A question for a research. Dialects add filters, model and instructions. */
export function researchRequest(query: string, research: ResearchEffort): AnswerRequest {
  return { query, history: [], want: 'answer', effort: 'deep', research, filters: {} }
}
