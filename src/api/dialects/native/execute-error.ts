import type { RemoteFailure } from '../../../executor/wire/failure.ts'
import type { ErrorBody, Failure } from '../../dialect.ts'

/** An error as one csp tells it to another. */
export function executeError(failure: Failure): ErrorBody & { readonly body: RemoteFailure } {
  const { code, message, retryAfterSeconds, status } = failure
  return { status, body: { type: 'error', code, message, retryAfterSeconds } }
}
