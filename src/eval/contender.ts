import type { Effort, SearchFilters, SearchRequest } from '../domain/search.ts'
import type { Executor } from '../executor/executor.ts'

/** The ways through csp that can be measured: a list of pages, and an answer at each effort. */
export const strategies = ['results', 'fast', 'standard', 'deep'] as const
export type Strategy = (typeof strategies)[number]

/** One backend with one strategy. */
export interface Contender {
  readonly backend: string
  readonly strategy: Strategy
  readonly executor: Executor
}

/** The request of a strategy, as an API's caller would send it: ten results for a list. */
export function requestFor(strategy: Strategy, query: string, filters: SearchFilters = {}): SearchRequest {
  const common = { query, history: [], filters }
  if (strategy === 'results') return { ...common, want: 'results', effort: 'fast', limit: 10 }
  return { ...common, want: 'answer', effort: strategy satisfies Effort }
}

/** How many searches a question is expected to cost. An agent searches as often as it needs: two or three times. */
export const expectedSearches: Readonly<Record<Strategy, number>> = { results: 1, fast: 1, standard: 1, deep: 3 }

export function nameOf({ backend, strategy }: Pick<Contender, 'backend' | 'strategy'>): string {
  return `${backend} ${strategy}`
}
