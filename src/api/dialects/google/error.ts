import type { ErrorBody, Failure } from '../../dialect.ts'
import { fieldPath } from '../../http/refusal.ts'

/** Google's error envelope. Google answers 403 to a missing key, and 400 to a wrong one. */
export function googleError(failure: Failure): ErrorBody {
  const { message, issues } = failure
  const { code, status, reason } = kindOf(failure)
  const errors = issues.map((issue) => ({
    message: issue.path.length > 0 ? `${fieldPath(issue.path)}: ${issue.message}.` : message,
    domain: 'global',
    reason: issue.type === 'missing' && failure.code === 'invalid-request' ? 'required' : reason,
    ...(issue.path.length > 0 && { locationType: 'parameter', location: fieldPath(issue.path) }),
  }))
  const domain = code === 429 ? 'usageLimits' : 'global'
  const error = {
    code,
    message,
    errors: errors.length > 0 ? errors : [{ message, domain, reason }],
    status,
    details: isWrongKey(failure) ? [keyDetail] : undefined,
  }
  return { status: code, body: { error } }
}

function isWrongKey({ code, issues }: Failure): boolean {
  return code === 'unauthorized' && issues.length === 0
}

/** By this clients tell a wrong key from a wrong parameter. */
const keyDetail = {
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
  reason: 'API_KEY_INVALID',
  domain: 'googleapis.com',
}

interface ErrorKind {
  readonly code: number
  readonly status: string
  readonly reason: string
}

function kindOf(failure: Failure): ErrorKind {
  if (isWrongKey(failure)) return { code: 400, status: 'INVALID_ARGUMENT', reason: 'badRequest' }
  if (failure.code === 'unauthorized') return { code: 403, ...byStatus[403] }
  const known = Object.entries(byStatus).find(([status]) => Number(status) === failure.status)?.[1]
  return { code: failure.status, ...(known ?? (failure.status < 500 ? byStatus[400] : byStatus[500])) }
}

const byStatus = {
  400: { status: 'INVALID_ARGUMENT', reason: 'badRequest' },
  403: { status: 'PERMISSION_DENIED', reason: 'forbidden' },
  404: { status: 'NOT_FOUND', reason: 'notFound' },
  429: { status: 'RESOURCE_EXHAUSTED', reason: 'rateLimitExceeded' },
  499: { status: 'CANCELLED', reason: 'backendError' },
  500: { status: 'INTERNAL', reason: 'backendError' },
  503: { status: 'UNAVAILABLE', reason: 'backendError' },
  504: { status: 'DEADLINE_EXCEEDED', reason: 'backendError' },
} as const
