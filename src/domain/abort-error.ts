import { SearchError, toSearchError } from './error.ts'

/** What a search throws whose signal has aborted: `timeout` when the reason is a `TimeoutError`, else `cancelled`. */
export function abortError(signal: AbortSignal): SearchError {
  const reason: unknown = signal.reason
  if (reason instanceof Error && reason.name === 'TimeoutError') return toSearchError(reason)
  return new SearchError('cancelled', 'The request was cancelled.', { cause: reason })
}
