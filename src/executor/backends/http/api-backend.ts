import { RunningWork } from '@csp/lib/abort'
import { abortError, closedError } from '../../../domain/abort.ts'
import { SearchError, toSearchError, traitsOf } from '../../../domain/error.ts'
import type { BackendHealth, LastError, RateLimitHealth } from '../../../domain/health.ts'
import type { SearchEvent, SearchEvents, SearchRequest } from '../../../domain/search.ts'
import type { Executor, SearchContext, SearchTrace } from '../../executor.ts'

/** What an executor over an HTTP API is made of. */
export interface ApiBackendParts {
  readonly name: string
  readonly now: () => Date
  readonly supports: (request: SearchRequest) => boolean
  /** One search. It stops when the signal aborts, and may then throw anything. */
  readonly search: (
    request: SearchRequest,
    signal: AbortSignal,
    trace: SearchTrace | undefined,
    caller: string | undefined,
  ) => AsyncIterable<SearchEvent>
  /** The state of its quota, as far as it was reported. */
  readonly rateLimit?: (() => RateLimitHealth | undefined) | undefined
}

/** The executor around one HTTP API: stops running searches, remembers the last error, and stays closed once closed. */
export function apiBackend({ name, now, supports, search, rateLimit }: ApiBackendParts): Executor {
  const running = new RunningWork(closedError)
  const standing = new Standing(now)

  async function* run(request: SearchRequest, { signal, trace, caller }: SearchContext): SearchEvents {
    if (signal.aborted) throw abortError(signal)
    if (!supports(request)) throw unsupported(name)
    const own = running.begin(signal)
    try {
      yield* search(request, own.signal, trace, caller)
      standing.succeeded()
    } catch (error) {
      if (signal.aborted) throw abortError(signal)
      if (running.isClosed) throw closedError()
      const failure = toSearchError(error)
      standing.failed(failure)
      throw failure
    } finally {
      own.end()
    }
  }

  return {
    name,
    supports,
    search: run,
    async health() {
      const backend = { name, ...standing.health, rateLimit: rateLimit?.() }
      return { ready: backend.ready, backends: [backend] }
    },
    async close() {
      running.close()
    },
  }
}

/** The outcome of the last searches. */
class Standing {
  readonly #now: () => Date
  #lastError: LastError | undefined
  #problem: { readonly message: string; readonly until: number } | undefined

  constructor(now: () => Date) {
    this.#now = now
  }

  succeeded(): void {
    this.#problem = undefined
  }

  failed({ code, forOthers: message, retryAfterSeconds = 60 }: SearchError): void {
    if (traitsOf(code).isCallerFault) return
    const at = this.#now()
    this.#lastError = { code, message, at: at.toISOString() }
    if (code === 'signed-out') this.#problem = { message, until: Number.POSITIVE_INFINITY }
    if (code === 'rate-limited') this.#problem = { message, until: at.getTime() + retryAfterSeconds * 1000 }
  }

  /** A passing failure counts as ready: the next search may succeed. */
  get health(): Omit<BackendHealth, 'name'> {
    const problem = this.#problem && this.#now().getTime() < this.#problem.until ? this.#problem.message : undefined
    return { ready: problem === undefined, problem, lastError: this.#lastError }
  }
}

function unsupported(name: string): SearchError {
  return new SearchError('invalid-request', `The backend ${name} does not support this request.`)
}
