import { BoundedMap } from '@csp/lib/bounded-map'
import type { SearchError } from '../../../domain/error.ts'
import type { RateLimitHealth } from '../../../domain/health.ts'

/** A limit that is still in force. */
export interface UsageLimit {
  /** The backend's failure when it was reached. */
  readonly failure: SearchError
  /** Above 0. */
  readonly msLeft: number
}

interface Noted {
  readonly failure: SearchError
  readonly wallEnd: number
  readonly end: number
}

/**
 * The usage limits of a backend, and what is left of each. A limit ends by wall time, since monotonic time may stop
 * while the machine sleeps; or by monotonic time, since the wall clock may have been set back.
 */
export class UsageLimits {
  readonly #now: () => number
  readonly #wallNow: () => number
  readonly #noted = new BoundedMap<string, Noted>(maxLimits)

  constructor(now: () => number, wallNow: () => number) {
    this.#now = now
    this.#wallNow = wallNow
  }

  /** Records when a limit ends, from a failure that says so. Of two ends the later one counts. */
  note(what: string, failure: SearchError): void {
    const ms = (failure.retryAfterSeconds ?? 0) * 1000
    if (ms <= this.msLeft(what)) return
    this.#noted.set(what, { failure, wallEnd: this.#wallNow() + ms, end: this.#now() + ms })
  }

  find(what: string): UsageLimit | undefined {
    const noted = this.#noted.get(what)
    if (!noted) return undefined
    const msLeft = Math.min(noted.wallEnd - this.#wallNow(), noted.end - this.#now())
    if (msLeft > 0) return { failure: noted.failure, msLeft }
    this.#noted.delete(what)
    return undefined
  }

  msLeft(what: string): number {
    return this.find(what)?.msLeft ?? 0
  }
}

/**
 * What a backend reported of its limit, once a failure says that it is reached until `end`: the report may be older. It
 * is the window that ends at that time, or one without a name.
 */
export function limitReached(reported: RateLimitHealth | undefined, end: string): RateLimitHealth {
  const windows = reported ? (reported.windows ?? [reported]) : []
  const isIt = ({ resetsAt }: { resetsAt?: string | undefined }) =>
    resetsAt !== undefined && Math.abs(Date.parse(resetsAt) - Date.parse(end)) < sameEndMs
  const reached = { ...windows.find(isIt), status: 'rejected', resetsAt: end }
  const others = windows.filter((window) => !isIt(window))
  return { ...reached, ...(others.length > 0 && { windows: [reached, ...others] }) }
}

/** The text of a failure names the minute, or the hour alone. */
const sameEndMs = 600_000

/** Limits that are kept: model names come from callers. */
const maxLimits = 100
