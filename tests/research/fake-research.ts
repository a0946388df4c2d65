import { collect } from '../../src/domain/answer.ts'
import { researchRequest } from '../../src/domain/research.ts'
import type { SearchEvent, SearchRequest } from '../../src/domain/search.ts'
import type { SearchContext } from '../../src/executor/executor.ts'
import { researched } from '../../src/research/researched.ts'
import {
  done,
  type FakeExecutor,
  type FakeOptions,
  fakeExecutor,
  requestFor,
  type Script,
} from '../support/fake-executor.ts'

/** What a fake model plans: the questions of each of its calls, in turn; none after the last. */
export function researcher(
  plans: readonly (readonly string[])[],
  own: Partial<Record<string, Script>> = {},
  options: FakeOptions = {},
) {
  let calls = 0
  const plan: Script = async function* () {
    yield { type: 'backend', name: 'fake' }
    yield { type: 'text-delta', text: JSON.stringify({ questions: plans[calls++] ?? [] }) }
    yield { ...done, usage: { searches: 0, inputTokens: 100, outputTokens: 10 } }
  }
  const scripts: Record<string, Script> = { text: plan, results: findsTwo, answer: writes, ...own }
  return fakeExecutor((request, signal) => (scripts[request.want] ?? plan)(request, signal), 'fake', options)
}

/** Two pages with words for each query, and one that could not be read. */
export const findsTwo: Script = async function* ({ query }) {
  const page = (name: string) => ({
    title: `${name} of ${query}`,
    url: `https://example.com/${name}/${encodeURIComponent(query)}`,
  })
  yield { type: 'search-start', id: 'one', query }
  const read = ['first', 'second'].map((name) => ({ ...page(name), snippet: `Words of ${query}`, source: 'fake' }))
  yield { type: 'search-results', id: 'one', results: [...read, { ...page('unread'), source: 'fake' }] }
  yield done
}

/** A sentence for each source. */
export const writes: Script = async function* ({ query, sources = [] }) {
  yield { type: 'search-start', id: 'sources', query }
  yield { type: 'search-results', id: 'sources', results: sources }
  let length = 0
  for (const [index, { url, title }] of sources.entries()) {
    const marker = `[${index + 1}]`
    const text = `It is so ${marker}. `
    yield { type: 'text-delta', text }
    const start = length + text.indexOf(marker)
    yield { type: 'citation', citation: { number: index + 1, url, title, start, end: start + marker.length } }
    length += text.length
  }
  yield { ...done, usage: { searches: 0, inputTokens: 1000, outputTokens: 200 } }
}

export const question = 'How well do heat pumps work in the cold?'

/** The events of a research over a fake. */
export async function eventsOf(
  inner: FakeExecutor,
  { context = {}, ...more }: Partial<SearchRequest> & { readonly context?: Partial<SearchContext> } = {},
): Promise<readonly SearchEvent[]> {
  const request = requestFor(question, { ...researchRequest(question, 'medium'), ...more })
  return Array.fromAsync(researched(inner).search(request, { signal: new AbortController().signal, ...context }))
}

/** The report of a research over a fake. */
export async function reportOf(...given: Parameters<typeof eventsOf>) {
  const events = await eventsOf(...given)
  return collect(
    (async function* () {
      yield* events
    })(),
  )
}

/** The queries of the lists that reached a fake. */
export function searchesOf({ requests }: FakeExecutor): readonly string[] {
  return requests.filter(({ want }) => want === 'results').map(({ query }) => query)
}
