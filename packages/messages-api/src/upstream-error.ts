import { messageOf } from '@csp/lib/errors'
import { plainText } from '@csp/lib/text'
import { type ErrorEnvelope, type ErrorType, errorEnvelope, errorTypeOf } from './error.ts'

/** More about an error than its status and message. */
export interface UpstreamErrorOptions {
  /** By default the type that belongs to the status. */
  readonly type?: ErrorType | undefined
  /** Whole seconds, 1 or more. */
  readonly retryAfterSeconds?: number | undefined
  readonly cause?: unknown
}

/**
 * The only error that an upstream throws. Its message may be shown to its own caller: it holds no key and no control
 * characters, says what to do where something can be done, and may quote what the provider said.
 */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError'
  /** The HTTP status of a reply that has not begun: 400 to 599. 499: the caller left. */
  readonly status: number
  readonly type: ErrorType
  readonly retryAfterSeconds: number | undefined

  constructor(status: number, message: string, options: UpstreamErrorOptions = {}) {
    super(plainText(message), { cause: options.cause })
    this.status = status
    this.type = options.type ?? errorTypeOf(status)
    this.retryAfterSeconds = options.retryAfterSeconds
  }

  /** The body of a reply with this error. */
  toBody(): ErrorEnvelope {
    return errorEnvelope(this.type, this.message)
  }
}

const clientLeft = 499

/** Converts anything thrown, with the original as its cause. */
export function toUpstreamError(error: unknown): UpstreamError {
  if (error instanceof UpstreamError) return error
  const name = error instanceof Error ? error.name : ''
  if (name === 'TimeoutError') return new UpstreamError(504, 'The upstream took too long.', { cause: error })
  if (name === 'AbortError') return cancelled(error)
  return new UpstreamError(500, `The gateway failed: ${messageOf(error)}`, { cause: error })
}

/** The error of a call whose signal has aborted: 504 when the reason is a `TimeoutError`, otherwise 499. */
export function abortedCall(signal: AbortSignal): UpstreamError {
  const reason: unknown = signal.reason
  if (reason instanceof UpstreamError) return reason
  return reason instanceof Error && reason.name === 'TimeoutError' ? toUpstreamError(reason) : cancelled(reason)
}

/** The error of calls that begin or run when csp ends. */
export function shuttingDown(): UpstreamError {
  return new UpstreamError(503, 'csp is shutting down.')
}

function cancelled(cause: unknown): UpstreamError {
  return new UpstreamError(clientLeft, 'The request was cancelled.', { cause })
}
