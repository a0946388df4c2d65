/** Why a search failed, in words that hold for every executor and every dialect. */
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

export interface SearchErrorOptions {
  readonly cause?: unknown
  readonly retryAfterSeconds?: number | undefined
}

/** The only error that crosses from one room to another. Its message may be shown to the caller. */
export class SearchError extends Error {
  override readonly name = 'SearchError'
  readonly code: SearchErrorCode
  /** Whole seconds, 1 or more. */
  readonly retryAfterSeconds: number | undefined

  constructor(code: SearchErrorCode, message: string, options: SearchErrorOptions = {}) {
    super(message, { cause: options.cause })
    this.code = code
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

/** Turns anything thrown into a `SearchError`, and keeps the original as its cause. */
export function toSearchError(error: unknown): SearchError {
  if (error instanceof SearchError) return error
  const name = error instanceof Error ? error.name : ''
  if (name === 'AbortError') return new SearchError('cancelled', 'The request was cancelled.', { cause: error })
  if (name === 'TimeoutError') return new SearchError('timeout', 'The search took too long.', { cause: error })
  return new SearchError('failed', 'The search failed.', { cause: error })
}
