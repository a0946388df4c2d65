import type { ErrorBody, Failure } from '../../dialect.ts'
import { fieldPath } from '../../http/refusal.ts'

/** Google's error envelope: the HTTP status as `code`, the name of the RPC status, and typed details. */
export function geminiError(failure: Failure): ErrorBody {
  const { code, status, message } = failure
  const details = detailsOf(failure)
  return {
    status,
    body: { error: { code: status, message, status: statuses[code], ...(details.length > 0 && { details }) } },
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

const statuses = {
  'invalid-request': 'INVALID_ARGUMENT',
  'too-large': 'INVALID_ARGUMENT',
  unauthorized: 'UNAUTHENTICATED',
  forbidden: 'PERMISSION_DENIED',
  'not-found': 'NOT_FOUND',
  'unknown-model': 'NOT_FOUND',
  'method-not-allowed': 'UNIMPLEMENTED',
  'pages-off': 'UNIMPLEMENTED',
  'rate-limited': 'RESOURCE_EXHAUSTED',
  busy: 'RESOURCE_EXHAUSTED',
  'signed-out': 'UNAVAILABLE',
  unavailable: 'UNAVAILABLE',
  timeout: 'DEADLINE_EXCEEDED',
  cancelled: 'CANCELLED',
  ungrounded: 'INTERNAL',
  failed: 'INTERNAL',
  'page-unreadable': 'FAILED_PRECONDITION',
} as const satisfies Record<Failure['code'], string>
