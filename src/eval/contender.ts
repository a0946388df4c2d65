import type { Effort, SearchRequest } from '../domain/search.ts'
import type { Executor } from '../executor/executor.ts'

/** The ways through csp that can be measured: a list of pages, and an answer at each effort. */
export const roads = ['results', 'fast', 'standard', 'deep'] as const
export type Road = (typeof roads)[number]

/** One backend on one road. */
export interface Contender {
  readonly backend: string
  readonly road: Road
  readonly executor: Executor
}

/** The request of a road, as an API's caller would send it: ten results for a list. */
export function requestOn(road: Road, query: string): SearchRequest {
  const common = { query, history: [], filters: {} }
  if (road === 'results') return { ...common, want: 'results', effort: 'fast', limit: 10 }
  return { ...common, want: 'answer', effort: road satisfies Effort }
}

/** How many searches a question is expected to cost. An agent searches as often as it needs: two or three times. */
export const expectedSearches: Readonly<Record<Road, number>> = { results: 1, fast: 1, standard: 1, deep: 3 }

export function nameOf({ backend, road }: Pick<Contender, 'backend' | 'road'>): string {
  return `${backend} ${road}`
}
