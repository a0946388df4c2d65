import type { ErrorBody, ErrorReply, Failure } from '../../dialect.ts'

/** Anthropic's error envelope, with the id in the header that its client reads. */
export function anthropicError(failure: Failure, { id }: ErrorReply): ErrorBody {
  return {
    status: failure.code === 'unavailable' ? 529 : failure.status,
    body: { type: 'error', error: { type: types[failure.code], message: failure.message }, request_id: id },
    headers: { 'request-id': id },
  }
}

const types = {
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
} as const satisfies Record<Failure['code'], string>
