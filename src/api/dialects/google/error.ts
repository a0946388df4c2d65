import type { ErrorBody, Failure } from '../../exchange/failure.ts'
import { fieldPath } from '../../exchange/refusal.ts'
import { rpcStatus } from '../shared/rpc-status.ts'

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

function kindOf(failure: Failure) {
  const code = isWrongKey(failure) ? 400 : failure.code === 'unauthorized' ? 403 : failure.status
  return { code, status: rpcStatus(code), reason: reasons.get(code) ?? (code < 499 ? 'badRequest' : 'backendError') }
}

const reasons = new Map([
  [403, 'forbidden'],
  [404, 'notFound'],
  [429, 'rateLimitExceeded'],
])
