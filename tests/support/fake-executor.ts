import { SearchError, type SearchErrorCode } from '../../src/domain/error.ts'
import type { ExecutorHealth } from '../../src/domain/health.ts'
import type { SearchEvent, SearchRequest, Want } from '../../src/domain/search.ts'
import type { Executor, SearchContext } from '../../src/executor/executor.ts'

/** What a fake does for one search. It must end soon after the signal aborts; the fake throws the right error for it. */
export type Script = (request: SearchRequest, signal: AbortSignal) => AsyncIterable<SearchEvent>

/** What happens next: an event, an error to throw, or something to wait for first. */
export type Step = SearchEvent | Error | ((signal: AbortSignal) => Promise<unknown>)

export interface FakeCall {
  readonly request: SearchRequest
  readonly context: SearchContext
}

export interface FakeExecutor extends Executor {
  /** What reached it, in order. */
  readonly calls: readonly FakeCall[]
  /** The requests of these calls. */
  readonly requests: readonly SearchRequest[]
  /** Searches whose work has not stopped. */
  readonly running: number
  readonly closed: boolean
  /** Resolves once so many searches in all have begun. */
  begun(count?: number): Promise<void>
}

export interface FakeOptions {
  readonly health?: ExecutorHealth | undefined
  /** By default its work takes a turn of the event loop to stop. */
  readonly stopsAtOnce?: boolean | undefined
}

/** An executor with a script in the place of a backend. */
export function fakeExecutor(
  script: Script = answers,
  name = 'fake',
  { health = { ready: true, backends: [{ name, ready: true }] }, stopsAtOnce = false }: FakeOptions = {},
): FakeExecutor {
  const calls: FakeCall[] = []
  const waiting = new Set<() => void>()
  const closing = new AbortController()
  let running = 0

  async function* search(request: SearchRequest, context: SearchContext): AsyncGenerator<SearchEvent> {
    const { signal } = context
    if (closing.signal.aborted) throw new SearchError('unavailable', 'The fake is closed.')
    if (signal.aborted) throw abortError(signal)
    calls.push({ request, context })
    running++
    const stop = AbortSignal.any([signal, closing.signal])
    for (const wake of waiting) wake()
    try {
      for await (const event of script(request, stop)) {
        if (stop.aborted) break
        yield event
      }
    } finally {
      // A process does not die at once either: a caller that does not wait for it fails its test.
      if (!stopsAtOnce) await new Promise((resolve) => setImmediate(resolve))
      running--
    }
    if (stop.aborted) throw abortError(stop)
  }

  return {
    name,
    calls,
    get requests() {
      return calls.map(({ request }) => request)
    },
    get running() {
      return running
    },
    get closed() {
      return closing.signal.aborted
    },
    search,
    health: async () => health,
    close: async () => closing.abort(),
    begun: (count = 1) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (calls.length < count) return
          waiting.delete(check)
          resolve()
        }
        waiting.add(check)
        check()
      }),
  }
}

/** Finds two pages that name the query, and writes a cited sentence when text is wanted. */
export async function* answers(request: SearchRequest): AsyncGenerator<SearchEvent> {
  const { query, want } = request
  const url = `https://example.com/${encodeURIComponent(query)}`
  if (want !== 'text') {
    yield { type: 'search-start', id: 'one', query }
    const first = { title: `About ${query}`, url, snippet: query, publishedAt: '2026-01-02', source: 'fake' }
    const second = { title: `More on ${query}`, url: `${url}/more`, source: 'fake' }
    yield { type: 'search-results', id: 'one', results: [first, second] }
  }
  if (want !== 'results') yield { type: 'text-delta', text: `This is ${query}` }
  if (want === 'answer') {
    yield { type: 'text-delta', text: ' [1].' }
    const start = `This is ${query} `.length
    yield { type: 'citation', citation: { number: 1, url, title: `About ${query}`, start, end: start + 3 } }
  }
  yield done
}

/** Plays the same steps at every search, or those that fit the request. */
export function plays(steps: readonly Step[] | ((request: SearchRequest) => readonly Step[])): Script {
  return async function* (request, signal) {
    for (const step of typeof steps === 'function' ? steps(request) : steps) {
      if (step instanceof Error) throw step
      if (typeof step === 'function') await step(signal)
      else yield step
    }
  }
}

/** Begins a search and never ends it. */
export async function* hangs(request: SearchRequest, signal: AbortSignal): AsyncGenerator<SearchEvent> {
  yield { type: 'search-start', id: 'one', query: request.query }
  await aborted(signal)
}

/** Never says a word. */
export async function* isSilent(_: SearchRequest, signal: AbortSignal): AsyncGenerator<SearchEvent> {
  await aborted(signal)
  yield* []
}

/** Begins a search and fails. */
export function fails(code: SearchErrorCode): Script {
  return async function* (request) {
    yield { type: 'search-start', id: 'one', query: request.query }
    throw new SearchError(code, 'The fake fails.', { retryAfterSeconds: 7 })
  }
}

/** Answers once the gate is open, with the search's start before it. */
export function answersAfter(gate: Promise<void>): Script {
  return async function* (request, signal) {
    const [first, ...rest] = await Array.fromAsync(answers(request))
    if (first) yield first
    await Promise.race([gate, aborted(signal)])
    yield* rest
  }
}

/** The last event of what a fake answers. */
export const done: Extract<SearchEvent, { type: 'done' }> = {
  type: 'done',
  reason: 'stop',
  usage: { searches: 1, inputTokens: 10, outputTokens: 20 },
  model: 'fake-1',
}

/** Fields of any kind of request. */
export type Fields = { readonly [Name in keyof SearchRequest]?: SearchRequest[Name] }

/** A request with nothing but the given. */
export function requestFor<Kind extends Want = 'results'>(
  query: string,
  rest: Fields & { readonly want?: Kind } = {},
): Extract<SearchRequest, { readonly want: Kind }> {
  const request = { query, history: [], want: 'results', effort: 'fast', filters: {}, ...rest }
  // Tests also send what no caller can: a field that another kind of request has.
  return request as Extract<SearchRequest, { readonly want: Kind }>
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** Written here again, so that the fake does not use what it helps to test. */
function abortError(signal: AbortSignal): SearchError {
  const isTimeout = signal.reason instanceof Error && signal.reason.name === 'TimeoutError'
  return new SearchError(isTimeout ? 'timeout' : 'cancelled', 'The fake was stopped.', { cause: signal.reason })
}
