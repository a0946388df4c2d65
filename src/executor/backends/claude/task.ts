import type { SearchRequest } from '../../../domain/search.ts'
import { type ClientTools, clientToolsFor } from '../../answer/client-tools.ts'
import { JsonShape } from '../../answer/json/json-shape.ts'
import type { Engines } from './engines.ts'

/** One request on its way through the engines. */
export interface Task {
  readonly engines: Engines
  readonly request: SearchRequest
  /** The caller's tools that the model may call. */
  readonly tools: ClientTools | undefined
  /** What the text must be, when it must be JSON. */
  readonly shape: JsonShape | undefined
  readonly signal: AbortSignal
  /** Aborts when no more text is wanted: the turn is ended, and what it cost is still told. */
  readonly enough: AbortSignal
}

/** Reads what is costly to find wrong later. Throws `invalid-request`. */
export function taskFor(engines: Engines, request: SearchRequest, signals: Pick<Task, 'signal' | 'enough'>): Task {
  const shape = request.schema && new JsonShape(request.schema)
  return { engines, request, tools: clientToolsFor(request), shape, ...signals }
}
