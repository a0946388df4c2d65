import { withoutLastSlashes } from '@csp/lib/url'
import { AnswerFold, sourcesOf } from '../../../domain/answer.ts'
import { type SearchError, type SearchErrorCode, toSearchError } from '../../../domain/error.ts'
import type { Answer, Effort, SearchFilters, SearchRequest } from '../../../domain/search.ts'
import type { Executor, SearchTrace } from '../../../executor/executor.ts'

/** The ways through csp that can be measured: a list of pages, and an answer at each effort. */
export const strategies = ['results', 'fast', 'standard', 'deep'] as const
export type Strategy = (typeof strategies)[number]

/** The request of a strategy, as an API's caller would send it: ten results for a list. */
export function requestFor(strategy: Strategy, query: string, filters: SearchFilters = {}): SearchRequest {
  const common = { query, history: [], filters }
  if (strategy === 'results') return { ...common, want: 'results', effort: 'fast', limit: 10 }
  return { ...common, want: 'answer', effort: strategy satisfies Effort }
}

/** The reply to one request, and what it took. */
export interface MeasuredSearch {
  /** Milliseconds, to the end of the reply. */
  readonly ms: number
  readonly searches: number
  /** As far as this process can see; 0 where no model was called, or it cannot be told. */
  readonly modelCalls: number
  readonly reply: Answer | SearchError
}

/** Sends one request, past the cache. Throws a `SearchError` after which no other search would succeed. */
export async function measureSearch(
  executor: Executor,
  request: SearchRequest,
  signal: AbortSignal,
  now: () => number,
): Promise<MeasuredSearch> {
  const trace = new CallCount()
  const fold = new AnswerFold()
  const startedAt = now()
  const measured = (reply: Answer | SearchError, searches: number): MeasuredSearch => {
    return { ms: now() - startedAt, modelCalls: trace.count, searches, reply }
  }
  try {
    for await (const event of executor.search(request, { signal, cache: 'no-store', isWhole: true, trace }))
      fold.add(event)
    const answer = fold.finish()
    return measured(answer, Math.max(answer.usage.searches, answer.searches.length))
  } catch (error) {
    const failure = toSearchError(error)
    if (signal.aborted || endsAll.has(failure.code)) throw failure
    return measured(failure, Math.max(1, fold.searches.length))
  }
}

/** Failures after which no other search would succeed, or none is wanted. */
export const endsAll: ReadonlySet<SearchErrorCode> = new Set([
  'cancelled',
  'rate-limited',
  'signed-out',
  'unauthorized',
])

/** The numbers of results and of those with an excerpt and a date. */
export function countRows(rows: readonly { readonly snippet?: string | undefined; readonly publishedAt?: unknown }[]) {
  return {
    rows: rows.length,
    rowsWithExcerpt: rows.filter(({ snippet }) => snippet).length,
    rowsWithDate: rows.filter(({ publishedAt }) => publishedAt).length,
  }
}

/**
 * Whether everything that an answer refers to came from its searches: each citation, each `[n]` and each address in its
 * text.
 */
export function isGrounded({ text, citations, searches }: Answer): boolean {
  const sources = sourcesOf(searches)
  const urls = new Set(sources.map(({ url }) => withoutLastSlashes(url)))
  const numbers = [...text.matchAll(/\[(\d{1,3})\](?!\()/g)].map(([, number]) => Number(number))
  const written = [...text.matchAll(/https?:\/\/[^\s<>"')\]]+/g)].map(([url]) =>
    withoutLastSlashes(url.replace(/[.,;:!?]+$/, '')),
  )
  return (
    citations.every(({ url }) => urls.has(withoutLastSlashes(url))) &&
    numbers.every((number) => number >= 1 && number <= sources.length) &&
    written.every((url) => urls.has(url))
  )
}

/** Counts the model calls of one request, and notes nothing else. */
class CallCount implements SearchTrace {
  count = 0

  begin(): () => void {
    return () => {}
  }
  modelCalled(): void {
    this.count++
  }
  uncached(): void {}
  asked(): void {}
  replaced(): void {}
  defaultModel(): void {}
  note(): void {}
}
