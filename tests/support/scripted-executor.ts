import type { ExecutorHealth } from '../../src/domain/health.ts'
import type { SearchEvent, SearchRequest, SearchResult } from '../../src/domain/search.ts'
import type { Executor, SearchContext } from '../../src/executor/executor.ts'

/** What happens next: an event, an error to throw, or something to wait for first. */
export type Step = SearchEvent | Error | ((signal: AbortSignal) => Promise<unknown>)

export interface ScriptedExecutor extends Executor {
  /** What it was asked, in order. */
  readonly calls: readonly { readonly request: SearchRequest; readonly context: SearchContext }[]
  /** How many of its searches have begun and not yet settled. */
  readonly running: () => number
}

/** An executor in memory that plays the same script at every search, or the one that fits the request. */
export function scriptedExecutor(
  script: readonly Step[] | ((request: SearchRequest) => readonly Step[]),
  health: ExecutorHealth = { ready: true, backends: [{ name: 'scripted', ready: true }] },
): ScriptedExecutor {
  const calls: { request: SearchRequest; context: SearchContext }[] = []
  let running = 0

  async function* search(request: SearchRequest, context: SearchContext): AsyncGenerator<SearchEvent> {
    calls.push({ request, context })
    running += 1
    try {
      for (const step of typeof script === 'function' ? script(request) : script) {
        if (step instanceof Error) throw step
        if (typeof step === 'function') await step(context.signal)
        else yield step
      }
    } finally {
      running -= 1
    }
  }

  return {
    name: 'scripted',
    calls,
    running: () => running,
    search,
    health: () => Promise.resolve(health),
    close: () => Promise.resolve(),
  }
}

/** Hangs until the search is aborted, then fails as an executor has to. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = () => reject(new DOMException('The operation was aborted.', 'AbortError'))
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
  })
}

/** Pages number 1 to `count`; every other one has a date, every third no excerpt. */
export function pages(count: number): readonly SearchResult[] {
  return Array.from({ length: count }, (_, index) => ({
    title: `Page ${index + 1}`,
    url: `https://site${index + 1}.example/docs/page`,
    snippet: index % 3 === 2 ? undefined : `Excerpt ${index + 1}`,
    publishedAt: index % 2 === 0 ? '2026-05-01' : undefined,
    source: 'scripted',
  }))
}

/** The events of a search that finds so many pages and says nothing. */
export function found(count: number): readonly SearchEvent[] {
  return [
    { type: 'search-start', id: 's1', query: 'what was asked' },
    { type: 'search-results', id: 's1', results: pages(count) },
    done,
  ]
}

/** The events of an answer in two pieces, with one marker, on three pages. */
export const answered: readonly SearchEvent[] = [
  { type: 'search-start', id: 's1', query: 'what was asked' },
  { type: 'search-results', id: 's1', results: pages(3) },
  { type: 'text-delta', text: 'It is 🙂 so ' },
  { type: 'text-delta', text: '[2].' },
  {
    type: 'citation',
    citation: { number: 2, url: 'https://site2.example/docs/page', title: 'Page 2', start: 12, end: 15 },
  },
  { type: 'done', reason: 'stop', usage: { searches: 1, inputTokens: 100, outputTokens: 20 }, model: 'claude-x' },
]

const done: SearchEvent = {
  type: 'done',
  reason: 'stop',
  usage: { searches: 1, inputTokens: 10, outputTokens: 2 },
  model: 'claude-x',
}
