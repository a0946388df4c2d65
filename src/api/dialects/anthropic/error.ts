import { type ErrorType, errorEnvelope, errorStatus } from '../../../messages-api/error.ts'
import type { ErrorBody, ErrorReply, Failure } from '../../dialect.ts'

/** Anthropic's error envelope, with the id in the header that its client reads. */
export function anthropicError(failure: Failure, { id }: ErrorReply): ErrorBody {
  const { code, message, status, issues } = failure
  const type = types[code]
  const envelope = errorEnvelope(type, message)
  const details = issues.some(({ type }) => type === unsupportedThread) ? { details: threadDetails } : undefined
  return {
    status: type === 'overloaded_error' ? errorStatus[type] : status,
    body: { type: envelope.type, error: { ...envelope.error, ...details }, request_id: id },
    headers: { 'request-id': id },
  }
}

/** The type of issue that a `thread` is, and the code by which the vendor's client knows it. */
export const unsupportedThread = 'thread_unsupported_request'

const threadDetails = { error_code: unsupportedThread, unsupported: ['thread'] }

const types: Readonly<Record<Failure['code'], ErrorType>> = {
  'invalid-request': 'invalid_request_error',
  'method-not-allowed': 'invalid_request_error',
  unauthorized: 'authentication_error',
  forbidden: 'permission_error',
  'not-found': 'not_found_error',
  'unknown-model': 'not_found_error',
  'too-large': 'request_too_large',
  'rate-limited': 'rate_limit_error',
  busy: 'rate_limit_error',
  unavailable: 'overloaded_error',
  timeout: 'timeout_error',
  // The login of csp, not the caller's key: an authentication error would make callers check their key.
  'signed-out': 'api_error',
  ungrounded: 'api_error',
  cancelled: 'api_error',
  failed: 'api_error',
  'page-unreadable': 'invalid_request_error',
  'pages-off': 'invalid_request_error',
}
