import type { ErrorBody, Failure } from '../../dialect.ts'

/** Perplexity's error envelope. */
export function perplexityError(failure: Failure): ErrorBody {
  const error = perplexityErrorFields(failure)
  return { status: error.code, body: { error } }
}

/** The fields of that envelope; `code` is the HTTP status, a number. */
export function perplexityErrorFields({ code, message, status }: Failure) {
  return { message, type: types[code], code: code === 'unknown-model' ? 400 : status }
}

const types = {
  'invalid-request': 'invalid_request',
  'unknown-model': 'invalid_model',
  unauthorized: 'invalid_api_key',
  forbidden: 'forbidden',
  'not-found': 'not_found',
  'method-not-allowed': 'method_not_allowed',
  'too-large': 'request_too_large',
  'rate-limited': 'rate_limit_exceeded',
  busy: 'rate_limit_exceeded',
  'signed-out': 'signed_out',
  unavailable: 'service_unavailable',
  ungrounded: 'ungrounded',
  timeout: 'timeout',
  cancelled: 'cancelled',
  failed: 'internal_server_error',
  'page-unreadable': 'page_unreadable',
  'pages-off': 'pages_off',
} as const satisfies Record<Failure['code'], string>
