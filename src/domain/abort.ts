import { raced } from '@csp/lib/abort'
import { SearchError, toSearchError } from './error.ts'

/**
 * What a search throws whose signal has aborted: `timeout` when the reason is a `TimeoutError`, otherwise `cancelled`.
 */
export function abortError(signal: AbortSignal): SearchError {
  const reason: unknown = signal.reason
  if (reason instanceof Error && reason.name === 'TimeoutError') return toSearchError(reason)
  return new SearchError('cancelled', 'The request was cancelled.', { cause: reason })
}

/** What a search throws that begins or runs when csp ends. */
export function closedError(): SearchError {
  return new SearchError('unavailable', 'csp is shutting down.')
}

/** Settles as the promise does, or throws the signal's `abortError` as soon as it aborts. The promise runs on. */
export async function interruptible<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await raced(promise, signal)
  } catch (error) {
    throw signal.aborted ? abortError(signal) : error
  }
}
