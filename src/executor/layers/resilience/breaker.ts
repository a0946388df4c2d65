import { SearchError, type SearchErrorCode, traitsOf } from '../../../domain/error.ts'
import type { BreakerHealth } from '../../../domain/health.ts'
import type { SearchRequest } from '../../../domain/search.ts'
import { backOffMs } from '../../../lib/back-off.ts'
import { type UsageLimit, UsageLimits } from './usage-limits.ts'

export interface BreakerOptions {
  /** Of the backend, for messages. */
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

/** How a search went: `left` when it says nothing about the backend. */
export type Outcome = 'answered' | 'left' | SearchError

/**
 * Decides whether a backend is asked. Five failures in a row open the breaker for a while, which doubles each time;
 * then one search tries. A usage limit with a known end opens it until that end.
 */
export class Breaker {
  readonly #options: BreakerOptions
  readonly #now: () => number
  readonly #limits: UsageLimits
  readonly #listeners: ((refuse: Refuse) => void)[] = []
  #failures = 0
  #openings = 0
  #openedInARow = 0
  #isProbing = false
  #coolDown: { readonly until: number; readonly failure: SearchError } | undefined

  constructor(options: BreakerOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
    this.#limits = new UsageLimits(this.#now, options.wallNow ?? Date.now)
  }

  /** Calls the listener at each opening, so that waiting searches can be rejected. */
  onOpen(listener: (refuse: Refuse) => void): void {
    this.#listeners.push(listener)
  }

  /** Admits a search, and returns the function to call when it has ended; or throws why not, and until when. */
  enter(request: SearchRequest): () => void {
    const refusal = this.#limitRefusal(request) ?? this.#coolDownRefusal()
    if (refusal) throw refusal
    if (!this.#coolDown) return () => {}
    this.#log('half-open, one search tries the backend')
    this.#isProbing = true
    return () => {
      this.#isProbing = false
    }
  }

  /** Notes that the backend is asked now, and returns the function that records the outcome. */
  begin(request: SearchRequest): (outcome: Outcome) => void {
    const openings = this.#openings
    return (outcome) => {
      if (outcome === 'left') return
      const isLimit =
        outcome !== 'answered' && outcome.code === 'rate-limited' && outcome.retryAfterSeconds !== undefined
      if (isLimit) this.#limit(request, outcome)
      // A search that began before the breaker opened says nothing about the time since; a usage limit still counts.
      if (openings !== this.#openings) return
      if (outcome === 'answered' || isLimit) this.#close()
      else if (saysBackendIsDown(outcome, request)) this.#fail(outcome)
    }
  }

  get health(): BreakerHealth {
    const limitMs = this.#ordinaryLimit?.msLeft ?? 0
    const coolDownMs = this.#coolDown ? this.#coolDown.until - this.#now() : 0
    const leftMs = Math.max(limitMs, coolDownMs)
    const isHalfOpen = leftMs <= 0 && this.#coolDown !== undefined
    return {
      state: leftMs > 0 ? 'open' : isHalfOpen ? 'half-open' : 'closed',
      retryAt: leftMs > 0 ? this.#inIso(leftMs) : undefined,
      failures: this.#failures,
    }
  }

  /** Why an ordinary search would be rejected now. */
  get problem(): string | undefined {
    return this.#ordinaryLimit?.failure.message ?? this.#coolDown?.failure.message
  }

  /** The one that lasts longest. */
  get #ordinaryLimit(): UsageLimit | undefined {
    const { ordinary } = this.#options
    const all = ordinary ? ordinary.map((request) => this.#limitOf(request)) : [this.#limits.find(forAll)]
    return all.filter((limit) => limit !== undefined).toSorted((a, b) => b.msLeft - a.msLeft)[0]
  }

  #limit(request: SearchRequest, failure: SearchError): void {
    this.#limits.note(failure.isForAll ? forAll : this.#modelsOf(request).join(' '), failure)
    this.#log(`closed to requests under a usage limit for ${failure.retryAfterSeconds} s`)
    this.#notify((waiting) => this.#limitRefusal(waiting))
  }

  #fail(failure: SearchError): void {
    this.#failures++
    if (this.#failures >= failuresToOpen) this.#open(failure)
  }

  #open(failure: SearchError): void {
    const isSignedOut = failure.code === 'signed-out'
    // A user who signs in wants to search now, and asking costs nothing.
    const ms = isSignedOut ? signedOutMs : backOffMs(this.#openedInARow, coolDowns)
    if (!isSignedOut) this.#openedInARow++
    this.#openings++
    this.#coolDown = { until: this.#now() + ms, failure }
    this.#log(`open for ${ms / 1000} s after ${this.#failures} failures in a row, the last one ${failure.code}`)
    this.#notify(() => this.#coolDownRefusal())
  }

  #close(): void {
    if (this.#coolDown) this.#log('closed again, the backend answers')
    this.#coolDown = undefined
    this.#failures = 0
    this.#openedInARow = 0
  }

  #log(state: string): void {
    this.#options.log?.(`Breaker of ${this.#options.name}: ${state}`)
  }

  #notify(refuse: Refuse): void {
    for (const listener of this.#listeners) listener(refuse)
  }

  #limitRefusal(request: SearchRequest): SearchError | undefined {
    const limit = this.#limitOf(request)
    return limit && refusal('rate-limited', limit.failure.message, limit.msLeft)
  }

  #coolDownRefusal(): SearchError | undefined {
    if (!this.#coolDown) return undefined
    const { until, failure } = this.#coolDown
    const leftMs = until - this.#now()
    if (leftMs <= 0 && !this.#isProbing) return undefined
    const code = traitsOf(failure.code).isKeptByBreaker ? failure.code : 'unavailable'
    const when = leftMs > 0 ? `is asked again in ${Math.ceil(leftMs / 1000)} s` : 'is being asked again'
    const { name } = this.#options
    return refusal(code, `${name} has failed ${this.#failures} times in a row, and ${when}. ${failure.message}`, leftMs)
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
const failuresToOpen = 5
const coolDowns = { firstMs: 10_000, maxMs: 300_000 }
const signedOutMs = 5000
