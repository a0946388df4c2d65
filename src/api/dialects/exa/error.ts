import type { ErrorBody, ErrorReply, Failure } from '../../exchange/failure.ts'

/** Exa's error envelope. */
export function exaError({ status, code, message }: Failure, { id }: ErrorReply): ErrorBody {
  return { status, body: { requestId: id, error: message, tag: tags[code] ?? code.replaceAll('-', '_').toUpperCase() } }
}

/** The documented tags; the others are formed like them. */
const tags: Partial<Record<Failure['code'], string>> = {
  'invalid-request': 'INVALID_REQUEST_BODY',
  unauthorized: 'INVALID_API_KEY',
  forbidden: 'ACCESS_DENIED',
  'rate-limited': 'RATE_LIMIT_EXCEEDED',
  busy: 'RATE_LIMIT_EXCEEDED',
  failed: 'INTERNAL_ERROR',
}
