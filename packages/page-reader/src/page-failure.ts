import { PageError } from './page-error.ts'

/** Makes a `PageError` of anything thrown while a page was read with this signal. */
export function toPageError(error: unknown, signal: AbortSignal): PageError {
  if (signal.aborted) return abortedRead(signal)
  if (error instanceof PageError) return error
  return new PageError('failed', 'The page could not be read.', { cause: error })
}

/** The error of a reader whose signal has aborted. */
export function abortedRead(signal: AbortSignal): PageError {
  const reason: unknown = signal.reason
  if (reason instanceof PageError) return reason
  if (reason instanceof Error && reason.name === 'TimeoutError') {
    return new PageError('timeout', 'The page took too long to read.', { cause: reason })
  }
  return new PageError('cancelled', 'The request was cancelled.', { cause: reason })
}
