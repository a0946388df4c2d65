import type { ErrorBody, Failure } from '../../exchange/failure.ts'
import { fieldPath } from '../../exchange/refusal.ts'
import { rpcStatus } from '../shared/rpc-status.ts'

/** Google's error envelope: the HTTP status as `code`, the name of the RPC status, and typed details. */
export function geminiError(failure: Failure): ErrorBody {
  const { code, status, message } = failure
  const details = detailsOf(failure)
  const name = code === 'method-not-allowed' ? 'UNIMPLEMENTED' : rpcStatus(status)
  return {
    status,
    body: { error: { code: status, message, status: name, ...(details.length > 0 && { details }) } },
  }
}

function detailsOf({ code, issues, retryAfterSeconds }: Failure): readonly unknown[] {
  const fields = issues.filter(({ path }) => path.length > 0)
  return [
    ...(code === 'unauthorized'
      ? [{ ...typed('ErrorInfo'), reason: 'API_KEY_INVALID', domain: 'googleapis.com' }]
      : []),
    ...(fields.length > 0
      ? [
          {
            ...typed('BadRequest'),
            fieldViolations: fields.map(({ path, message }) => ({ field: fieldPath(path), description: message })),
          },
        ]
      : []),
    ...(retryAfterSeconds === undefined ? [] : [{ ...typed('RetryInfo'), retryDelay: `${retryAfterSeconds}s` }]),
  ]
}

function typed(name: string) {
  return { '@type': `type.googleapis.com/google.rpc.${name}` }
}
