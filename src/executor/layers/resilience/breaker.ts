import { Circuit, type CircuitChange, type OpenCircuit } from '@csp/lib/circuit'
import { SearchError, type SearchErrorCode, traitsOf } from '../../../domain/error.ts'
import type { BreakerHealth, LastError } from '../../../domain/health.ts'
import type { SearchRequest } from '../../../domain/search.ts'
import { type UsageLimit, UsageLimits } from './usage-limits.ts'

export interface BreakerOptions {
  /** The backend's name, for messages. */
  readonly name: string
  /** The models that serve a request: each may have a usage limit of its own. Absent: one limit for all requests. */
  readonly modelsOf?: ((request: SearchRequest) => readonly string[]) | undefined
  /** Requests that the backend must be able to serve to be ready. Absent: those under the limit for all. */
  readonly ordinary?: readonly SearchRequest[] | undefined
  /** Monotonic time, ms. */
  readonly now?: (() => number) | undefined
  /** Milliseconds since 1970. */
  readonly wallNow?: (() => number) | undefined
  /** Called at each change of state. */
  readonly log?: ((message: string) => void) | undefined
}

/** Returns why a request is rejected now, if it is. */
export type Refuse = (request: SearchRequest) => SearchError | undefined

type Kind = 'lists' | 'texts'

const kindOf = ({ want }: SearchRequest): Kind => (want === 'results' ? 'lists' : 'texts')

/** How a search went that says something about the backend. */
type Outcome = 'answered' | SearchError

/**
 * Decides whether a backend is asked. Five failures in a row open the breaker for a while, which doubles each time;
 * then one search tries. Lists and texts are counted apart: a backend that lists may be unable to write. A usage limit with
 * a known end opens it until that end.
 */
export class Breaker {
  readonly #options: BreakerOptions
  readonly #now: () => number
  readonly #limits: UsageLimits
  readonly #listeners: ((refuse: Refuse) => void)[] = []
  readonly #circuits: Readonly<Record<Kind, Circuit<SearchError>>>
  #lastOutcome: LastError | 'answered' | undefined

  constructor(options: BreakerOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
    this.#limits = new UsageLimits(this.#now, options.wallNow ?? Date.now)
    const circuit = (kind: Kind): Circuit<SearchError> =>
      new Circuit({ now: this.#now, onChange: (change) => this.#changed(kind, change) })
    this.#circuits = { lists: circuit('lists'), texts: circuit('texts') }
  }

  /** Calls the listener at each opening, so that waiting searches can be rejected. */
  onOpen(listener: (refuse: Refuse) => void): void {
    this.#listeners.push(listener)
  }

  /** Admits a search, and returns the function to call when it has ended; or throws why not, and until when. */
  enter(request: SearchRequest): () => void {
    const refusal = this.refusal(request)
    if (refusal) throw refusal
    return this.#circuits[kindOf(request)].enter()
  }

  /** Why such a search would be rejected now. */
  refusal(request: SearchRequest): SearchError | undefined {
    return this.#limitRefusal(request) ?? this.#coolDownRefusal(kindOf(request))
  }

  /** Notes that the backend is asked now, and returns the function that records the outcome. */
  begin(request: SearchRequest): (outcome: Outcome) => void {
    const circuit = this.#circuits[kindOf(request)].begin()
    return (outcome) => {
      this.#note(outcome)
      const isLimit =
        outcome !== 'answered' && outcome.code === 'rate-limited' && outcome.retryAfterSeconds !== undefined
      if (isLimit) this.#limit(request, outcome)
      if (outcome === 'answered' || isLimit) circuit.answered()
      // A user who signs in wants to search now, and asking costs nothing.
      else if (saysBackendIsDown(outcome, request))
        circuit.failed(outcome, outcome.code === 'signed-out' ? signedOutMs : undefined)
    }
  }

  /** What made it fail was mended: the next search may try. */
  forgive(): void {
    this.#lastOutcome = undefined
    for (const circuit of this.#all) circuit.close()
  }

  get health(): BreakerHealth {
    const limitMs = this.#ordinaryLimit?.msLeft ?? 0
    const opened = this.#opened
    const failures = Math.max(...this.#all.map((circuit) => circuit.failures))
    const leftMs = Math.max(limitMs, opened?.msLeft ?? 0)
    const isHalfOpen = leftMs <= 0 && opened !== undefined
    return {
      state: leftMs > 0 ? 'open' : isHalfOpen ? 'half-open' : 'closed',
      retryAt: leftMs > 0 ? this.#inIso(leftMs) : undefined,
      failures,
    }
  }

  /** Why the last search failed; `undefined` as soon as one succeeds. */
  get lastFailure(): LastError | undefined {
    return this.#lastOutcome === 'answered' ? undefined : this.#lastOutcome
  }

  /** Whether the last search failed; `undefined` before the first has ended. */
  get lastSearchFailed(): boolean | undefined {
    return this.#lastOutcome && this.#lastOutcome !== 'answered'
  }

  /** When the usage limit ends that an ordinary search would meet now, ISO 8601. */
  get limitedUntil(): string | undefined {
    const limit = this.#ordinaryLimit
    return limit && this.#inIso(limit.msLeft)
  }

  /** Why an ordinary search would be rejected now. */
  get problem(): string | undefined {
    return (this.#ordinaryLimit ?? this.#opened)?.failure.forOthers
  }

  get #all(): readonly Circuit<SearchError>[] {
    return Object.values(this.#circuits)
  }

  /** The circuit that stays open longest. */
  get #opened(): OpenCircuit<SearchError> | undefined {
    const opened = this.#all.map((circuit) => circuit.opened).filter((one) => one !== undefined)
    return opened.toSorted((a, b) => b.msLeft - a.msLeft)[0]
  }

  /** The one that lasts longest. */
  get #ordinaryLimit(): UsageLimit | undefined {
    const { ordinary } = this.#options
    const all = ordinary ? ordinary.map((request) => this.#limitOf(request)) : [this.#limits.find(forAll)]
    return all.filter((limit) => limit !== undefined).toSorted((a, b) => b.msLeft - a.msLeft)[0]
  }

  #note(outcome: Outcome): void {
    if (outcome === 'answered') this.#lastOutcome = outcome
    else if (traitsOf(outcome.code).isFault || outcome.code === 'rate-limited')
      this.#lastOutcome = { code: outcome.code, message: outcome.forOthers, at: this.#inIso(0) }
  }

  #limit(request: SearchRequest, failure: SearchError): void {
    this.#limits.note(failure.isForAll ? forAll : this.#modelsOf(request).join(' '), failure)
    this.#log(`closed to requests under a usage limit for ${failure.retryAfterSeconds} s`)
    this.#notify((waiting) => this.#limitRefusal(waiting))
  }

  #changed(kind: Kind, change: CircuitChange<SearchError>): void {
    if (change.to === 'closed') this.#log(`closed again for ${kind}, the backend answers`)
    if (change.to === 'half-open') this.#log(`half-open for ${kind}, one search tries the backend`)
    if (change.to !== 'open') return
    const { ms, failures, failure } = change
    this.#log(`open for ${kind} for ${ms / 1000} s after ${failures} failures in a row, the last one ${failure.code}`)
    this.#notify((waiting) => (kindOf(waiting) === kind ? this.#coolDownRefusal(kind) : undefined))
  }

  #log(state: string): void {
    this.#options.log?.(`Breaker of ${this.#options.name}: ${state}`)
  }

  #notify(refuse: Refuse): void {
    for (const listener of this.#listeners) listener(refuse)
  }

  #limitRefusal(request: SearchRequest): SearchError | undefined {
    const limit = this.#limitOf(request)
    return limit && refusal('rate-limited', limit.failure.forOthers, limit.msLeft)
  }

  #coolDownRefusal(kind: Kind): SearchError | undefined {
    const open = this.#circuits[kind].refusal
    if (!open) return undefined
    const { failure, failures, msLeft } = open
    const code = traitsOf(failure.code).isKeptByBreaker ? failure.code : 'unavailable'
    const { name } = this.#options
    return refusal(code, `${name} has failed ${failures} times in a row. ${failure.forOthers}`, msLeft)
  }

  /**
   * A limit that holds for all, for one of its models, or for its models together: where a request with several was
   * refused, it is not known which of them has reached its limit.
   */
  #limitOf(request: SearchRequest): UsageLimit | undefined {
    const models = this.#modelsOf(request)
    for (const what of new Set([forAll, ...models, models.join(' ')])) {
      const limit = this.#limits.find(what)
      if (limit) return limit
    }
    return undefined
  }

  #modelsOf(request: SearchRequest): readonly string[] {
    return this.#options.modelsOf?.(request) ?? [forAll]
  }

  #inIso(ms: number): string {
    return new Date((this.#options.wallNow ?? Date.now)() + ms).toISOString()
  }
}

function refusal(code: SearchErrorCode, message: string, leftMs: number): SearchError {
  return new SearchError(code, message, { retryAfterSeconds: Math.max(1, Math.ceil(leftMs / 1000)) })
}

/** An unusable schema or tool fails its own search, and says nothing about the backend. */
function saysBackendIsDown({ code }: SearchError, { schema, tools }: SearchRequest): boolean {
  return traitsOf(code).marksBackendDown && !(code === 'failed' && (schema !== undefined || tools !== undefined))
}

/** The name of a limit that holds whatever model is asked for. */
const forAll = ''
const signedOutMs = 5000
