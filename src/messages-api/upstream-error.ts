import { messageOf } from '../lib/errors.ts'

/** The types of error in the envelope of the Messages API. */
export type UpstreamErrorType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'billing_error'
  | 'permission_error'
  | 'not_found_error'
  | 'request_too_large'
  | 'rate_limit_error'
  | 'timeout_error'
  | 'api_error'
  | 'overloaded_error'

export interface UpstreamErrorOptions {
  /** By default the type that belongs to the status. */
  readonly type?: UpstreamErrorType | undefined
  /** Whole seconds, 1 or more. */
  readonly retryAfterSeconds?: number | undefined
  readonly cause?: unknown
}

/**
 * The only error that an upstream throws. Its message may be shown to the caller: it holds no key, and says what to do where
 * something can be done.
 */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError'
  /** Of HTTP, for a reply that has not begun: 400 to 599. 499: the caller left. */
  readonly status: number
  readonly type: UpstreamErrorType
  readonly retryAfterSeconds: number | undefined

  constructor(status: number, message: string, options: UpstreamErrorOptions = {}) {
    super(message, { cause: options.cause })
    this.status = status
    this.type = options.type ?? errorTypeOf(status)
    this.retryAfterSeconds = options.retryAfterSeconds
  }

  /** The envelope: the body of a failed reply, and the data of `event: error` in a stream that has begun. */
  toBody(): { readonly type: 'error'; readonly error: { readonly type: UpstreamErrorType; readonly message: string } } {
    return { type: 'error', error: { type: this.type, message: this.message } }
  }
}

/** The type that the Messages API gives with a status. */
export function errorTypeOf(status: number): UpstreamErrorType {
  return typesByStatus[status] ?? (status >= 500 || status === clientLeft ? 'api_error' : 'invalid_request_error')
}

const clientLeft = 499

const typesByStatus: Readonly<Record<number, UpstreamErrorType>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  408: 'timeout_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}

/** Converts anything thrown, with the original as its cause. */
export function toUpstreamError(error: unknown): UpstreamError {
  if (error instanceof UpstreamError) return error
  const name = error instanceof Error ? error.name : ''
  if (name === 'TimeoutError') return new UpstreamError(504, 'The upstream took too long.', { cause: error })
  if (name === 'AbortError') return cancelled(error)
  return new UpstreamError(500, `The gateway failed: ${messageOf(error)}`, { cause: error })
}

/** What a call throws whose signal has aborted: 504 when the reason is a `TimeoutError`, otherwise 499. */
export function abortedCall(signal: AbortSignal): UpstreamError {
  const reason: unknown = signal.reason
  if (reason instanceof UpstreamError) return reason
  return reason instanceof Error && reason.name === 'TimeoutError' ? toUpstreamError(reason) : cancelled(reason)
}

function cancelled(cause: unknown): UpstreamError {
  return new UpstreamError(clientLeft, 'The request was cancelled.', { cause })
}
