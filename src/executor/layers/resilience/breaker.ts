import { SearchError, type SearchErrorCode, traitsOf } from '../../../domain/error.ts'
import type { BreakerHealth } from '../../../domain/health.ts'
import type { SearchRequest } from '../../../domain/search.ts'
import { backOffMs } from '../../../lib/back-off.ts'
import { UsageLimits } from './usage-limits.ts'

export interface BreakerOptions {
  /** Of the backend, for messages. */
  readonly name: string
  /** What a usage limit holds for: requests with equal words share theirs. Absent: one for all. */
  readonly limitOf?: ((request: SearchRequest) => string) | undefined
  /** Milliseconds of a clock that never goes back. */
  readonly now?: (() => number) | undefined
  /** Milliseconds since 1970. */
  readonly wallNow?: (() => number) | undefined
  /** Hears of each change of the state. */
  readonly log?: ((message: string) => void) | undefined
}

/** Says why a request is refused now, if it is. */
export type Refuse = (request: SearchRequest) => SearchError | undefined

/** How a search went: `left` when it tells nothing of the backend. */
export type Outcome = 'answered' | 'left' | SearchError

/**
 * Knows whether a backend is worth asking. After five failures in a row it is let alone for a while, which doubles
 * each time; then one search tries. A usage limit with an end closes the way until that end.
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

  /** The listener is called at each opening, for those who wait still. */
  onOpen(listener: (refuse: Refuse) => void): void {
    this.#listeners.push(listener)
  }

  /** Lets a search in, and gives the function that notes that it has left; or throws at once why not, and until when. */
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

  /** Notes that the backend is asked now, and gives the function that is to be told how it went. */
  begin(request: SearchRequest): (outcome: Outcome) => void {
    const openings = this.#openings
    return (outcome) => {
      if (outcome === 'left') return
      const isLimit =
        outcome !== 'answered' && outcome.code === 'rate-limited' && outcome.retryAfterSeconds !== undefined
      if (isLimit) this.#limit(request, outcome)
      // What began before the breaker opened tells nothing of what has been since; but a limit is a limit.
      if (openings !== this.#openings) return
      if (outcome === 'answered' || isLimit) this.#close()
      else if (tellsOfBackend(outcome, request)) this.#fail(outcome)
    }
  }

  get health(): BreakerHealth {
    const limitMs = this.#limits.msLeft('')
    const coolDownMs = this.#coolDown ? this.#coolDown.until - this.#now() : 0
    const leftMs = Math.max(limitMs, coolDownMs)
    const isHalfOpen = leftMs <= 0 && this.#coolDown !== undefined
    return {
      state: leftMs > 0 ? 'open' : isHalfOpen ? 'half-open' : 'closed',
      retryAt: leftMs > 0 ? this.#inIso(leftMs) : undefined,
      failures: this.#failures,
    }
  }

  /** Why a search without wishes of its own would be refused now. */
  get problem(): string | undefined {
    return this.#limits.find('')?.failure.message ?? this.#coolDown?.failure.message
  }

  #limit(request: SearchRequest, failure: SearchError): void {
    this.#limits.note(this.#limitOf(request), failure)
    this.#log(`closed to requests under a usage limit for ${failure.retryAfterSeconds} s`)
    this.#tell((waiting) => this.#limitRefusal(waiting))
  }

  #fail(failure: SearchError): void {
    this.#failures++
    if (this.#failures >= failuresToOpen) this.#open(failure)
  }

  #open(failure: SearchError): void {
    const isSignedOut = failure.code === 'signed-out'
    // Whoever signs in wants to search now, and to ask costs nothing.
    const ms = isSignedOut ? signedOutMs : backOffMs(this.#openedInARow, coolDowns)
    if (!isSignedOut) this.#openedInARow++
    this.#openings++
    this.#coolDown = { until: this.#now() + ms, failure }
    this.#log(`open for ${ms / 1000} s after ${this.#failures} failures in a row, the last one ${failure.code}`)
    this.#tell(() => this.#coolDownRefusal())
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

  #tell(refuse: Refuse): void {
    for (const listener of this.#listeners) listener(refuse)
  }

  #limitRefusal(request: SearchRequest): SearchError | undefined {
    const limit = this.#limits.find(this.#limitOf(request))
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

  #limitOf(request: SearchRequest): string {
    return this.#options.limitOf?.(request) ?? ''
  }

  #inIso(ms: number): string {
    return new Date((this.#options.wallNow ?? Date.now)() + ms).toISOString()
  }
}

function refusal(code: SearchErrorCode, message: string, leftMs: number): SearchError {
  return new SearchError(code, message, { retryAfterSeconds: Math.max(1, Math.ceil(leftMs / 1000)) })
}

/** A schema that nothing fits, or tools that no model takes, break a search and no backend: others may not pay for it. */
function tellsOfBackend({ code }: SearchError, { schema, tools }: SearchRequest): boolean {
  return traitsOf(code).marksBackendDown && !(code === 'failed' && (schema !== undefined || tools !== undefined))
}

const failuresToOpen = 5
const coolDowns = { firstMs: 10_000, maxMs: 300_000 }
const signedOutMs = 5000
