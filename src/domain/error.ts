import { plainText } from '@csp/lib/text'
import { utcMomentOf } from '@csp/lib/times'

/**
 * Why a search failed; the same codes for every executor and every dialect.
 * @example const isLimit = (code: SearchErrorCode) => code === 'rate-limited' || code === 'busy'
 */
export type SearchErrorCode =
  | 'invalid-request' // the caller's fault: no retry, no fallback
  | 'unauthorized' // the caller's key is missing or wrong
  | 'signed-out' // the backend's own login is missing or expired
  | 'rate-limited' // a quota is spent; `retryAfterSeconds` says until when, if known
  | 'busy' // our own queue is full
  | 'unavailable' // the backend cannot be reached or started, or is overloaded
  | 'ungrounded' // an answer came that rests on no search
  | 'timeout'
  | 'cancelled' // the caller went away
  | 'failed' // the backend ran and broke, or broke its contract

/** How to handle a kind of failure. */
export interface ErrorTraits {
  /** The caller caused it: another backend, a retry or an older answer cannot help. */
  readonly isCallerFault: boolean
  /**
   * Whether the same request may succeed within seconds.
   * - `soon`: yes, for us and for the client.
   * - `as-reported`: only where `retryAfterSeconds` is short.
   * - `client-only`: the client may retry; a retry by csp would only lengthen the queue.
   */
  readonly retry: 'never' | 'soon' | 'as-reported' | 'client-only'
  /** It counts against the backend: several in a row open its circuit breaker. */
  readonly marksBackendDown: boolean
  /** An open breaker repeats this code to callers, since they can act on it. Otherwise they get `unavailable`. */
  readonly isKeptByBreaker: boolean
  /** Nothing is wrong with the request: a lesser answer from another source may stand in. */
  readonly isOutage: boolean
  /** Csp or a backend is broken, which its operator should see: no mistake or limit of a caller. */
  readonly isFault: boolean
  /** A search may have been made and is counted, so that hanging up each time does not search for free. */
  readonly mayHaveSearched: boolean
}

/** The traits of each kind of failure, independent of HTTP and vendors. */
const traits = {
  'invalid-request': { ...none(), isCallerFault: true },
  unauthorized: { ...none(), isCallerFault: true },
  'signed-out': { ...none(), isFault: true, marksBackendDown: true, isKeptByBreaker: true, isOutage: true },
  'rate-limited': { ...none(), retry: 'as-reported', marksBackendDown: true, isKeptByBreaker: true, isOutage: true },
  busy: { ...none(), retry: 'client-only', isOutage: true },
  unavailable: { ...none(), isFault: true, retry: 'soon', marksBackendDown: true, isOutage: true },
  ungrounded: { ...none(), isFault: true, mayHaveSearched: true },
  timeout: { ...none(), isFault: true, marksBackendDown: true, isOutage: true, mayHaveSearched: true },
  cancelled: { ...none(), isCallerFault: true, mayHaveSearched: true },
  failed: { ...none(), isFault: true, marksBackendDown: true, mayHaveSearched: true },
} satisfies Record<SearchErrorCode, ErrorTraits>

function none(): ErrorTraits {
  return {
    isCallerFault: false,
    retry: 'never',
    marksBackendDown: false,
    isKeptByBreaker: false,
    isOutage: false,
    isFault: false,
    mayHaveSearched: false,
  }
}

/** Whether a code is one of a search, not of the HTTP layer alone. */
export function isSearchErrorCode(code: string): code is SearchErrorCode {
  return Object.hasOwn(traits, code)
}

/** The traits of a kind of failure. */
export function traitsOf(code: SearchErrorCode): ErrorTraits {
  return traits[code]
}

/** Whether the same request may succeed within so many seconds. False for a limit without a known end. */
export function mayPassWithin({ code, retryAfterSeconds }: SearchError, seconds: number): boolean {
  const { retry } = traits[code]
  if (retry === 'soon') return (retryAfterSeconds ?? 0) <= seconds
  return retry === 'as-reported' && retryAfterSeconds !== undefined && retryAfterSeconds <= seconds
}

export interface SearchErrorOptions {
  readonly cause?: unknown
  readonly isForAll?: boolean | undefined
  readonly retryAfterSeconds?: number | undefined
  /** Given where the message quotes a server, a model or a caller: the same without their words. */
  readonly forOthers?: string | undefined
}

/**
 * The only error class that crosses module boundaries. Its message may be shown to the caller, and holds no control
 * characters. What others see later, such as health, breakers and the log, takes `forOthers` instead.
 * @example
 * const app = createApp({ backends: claude() })
 * try {
 *   await app.search({ query: 'bun 1.4 release notes' })
 * } catch (error) {
 *   if (error instanceof SearchError) console.log(error.code, error.message, error.retryAfterSeconds)
 * }
 */
export class SearchError extends Error {
  override readonly name = 'SearchError'
  readonly code: SearchErrorCode
  /** Whole seconds, 1 or more. */
  readonly retryAfterSeconds: number | undefined
  /** For a usage limit: whether it applies to every model. */
  readonly isForAll: boolean
  /** The message without a word of a server, a model or a caller. */
  readonly forOthers: string

  constructor(code: SearchErrorCode, message: string, options: SearchErrorOptions = {}) {
    super(plainText(message), { cause: options.cause })
    this.forOthers = options.forOthers ?? this.message
    this.code = code
    this.retryAfterSeconds = options.retryAfterSeconds
    this.isForAll = options.isForAll ?? false
  }
}

/**
 * The message of a failure, followed by when to try again, if that is known: `Resets at 16:06 UTC (in 1 h).` Messages never
 * hold that time themselves: a breaker repeats them later, and only the reader's side knows the reader's time zone.
 */
export function withRetryTime(
  failure: Pick<SearchError, 'message' | 'retryAfterSeconds'> & { readonly code: string },
  now: number,
  momentOf: (iso: string, now: number) => string = utcMomentOf,
): string {
  const { code, message, retryAfterSeconds: seconds } = failure
  if (seconds === undefined) return message
  const isSoon = seconds < 120
  const verb = code === 'rate-limited' && !isSoon ? 'Resets' : 'Try again'
  const when = isSoon ? `in ${seconds} s` : `at ${momentOf(new Date(now + seconds * 1000).toISOString(), now)}`
  return `${message} ${verb} ${when}.`
}

/** Converts anything thrown into a `SearchError`, with the original as its cause. */
export function toSearchError(error: unknown): SearchError {
  if (error instanceof SearchError) return error
  const name = error instanceof Error ? error.name : ''
  if (name === 'AbortError') return new SearchError('cancelled', 'The request was cancelled.', { cause: error })
  if (name === 'TimeoutError') return new SearchError('timeout', 'The search took too long.', { cause: error })
  return new SearchError('failed', 'The search failed.', { cause: error })
}
