import type { ErrorBody, Failure } from '../../exchange/failure.ts'

/** Perplexity's error envelope. */
export function perplexityError(failure: Failure): ErrorBody {
  const error = perplexityErrorFields(failure)
  return { status: error.code, body: { error } }
}

/** The fields of that envelope; `code` is the HTTP status, a number. */
export function perplexityErrorFields({ code, message, status }: Failure) {
  return { message, type: types[code] ?? code.replaceAll('-', '_'), code: code === 'unknown-model' ? 400 : status }
}

/** The others are formed like the code. */
const types: Partial<Record<Failure['code'], string>> = {
  'invalid-request': 'invalid_request',
  'unknown-model': 'invalid_model',
  unauthorized: 'invalid_api_key',
  'too-large': 'request_too_large',
  'rate-limited': 'rate_limit_exceeded',
  busy: 'rate_limit_exceeded',
  unavailable: 'service_unavailable',
  failed: 'internal_server_error',
}
