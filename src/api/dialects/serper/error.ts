import type { ErrorBody, Failure } from '../../exchange/failure.ts'

/** Serper answers 403 to a wrong key. */
export function serperError({ code, status, message }: Failure): ErrorBody {
  const statusCode = code === 'unauthorized' ? 403 : status
  return { status: statusCode, body: { message, statusCode } }
}
