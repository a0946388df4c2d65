import type { ExecutorHealth } from '../../src/domain/health.ts'
import type { SearchEvent, SearchResult } from '../../src/domain/search.ts'
import { type FakeExecutor, fakeExecutor, plays, type Step } from './fake-executor.ts'

export type { Step }

/** The fake that the tests of the API call `executor`. */
export type ScriptedExecutor = FakeExecutor

/** A fake executor that plays the same steps at every search, or those that fit the request. */
export function scriptedExecutor(steps: Parameters<typeof plays>[0], health?: ExecutorHealth): ScriptedExecutor {
  return fakeExecutor(plays(steps), 'scripted', { health, stopsAtOnce: true })
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
