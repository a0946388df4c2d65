import { PageError, type PageErrorCode } from '@csp/page-reader/page-error'
import { isSearchErrorCode, toSearchError, traitsOf, withRetryTime } from '../../domain/error.ts'
import type { Failure } from '../exchange/failure.ts'
import { Refusal } from '../exchange/refusal.ts'

/** Maps anything thrown to a `Failure`, without causes and stacks. `now`: milliseconds since 1970. */
export function failureOf(error: unknown, now = Date.now()): Failure {
  if (error instanceof Refusal) {
    const { code, message, issues } = error
    return { code, status: statuses[code], message, issues }
  }
  if (error instanceof PageError) {
    const code = pageFailures[error.code] ?? 'page-unreadable'
    const page = code === 'page-unreadable' ? error.code : undefined
    return { code, page, status: statuses[code], message: error.message, issues: [] }
  }
  const found = toSearchError(error)
  const { code, message: reason, retryAfterSeconds: seconds } = found
  const message = withRetryTime(found, now)
  if (seconds === undefined) return { code, status: statuses[code], message, issues: [] }
  const retryAt = new Date(now + seconds * 1000).toISOString()
  return { code, status: statuses[code], message, issues: [], retryAfterSeconds: seconds, retryAt, reason }
}

/** What a request fails with whose only page could not be read. */
const pageFailures: Partial<Record<PageErrorCode, Failure['code']>> = {
  'invalid-url': 'invalid-request',
  'not-allowed': 'forbidden',
  busy: 'busy',
  timeout: 'timeout',
  cancelled: 'cancelled',
  failed: 'failed',
}

/** The headers that say whether and when a client should try again, and with which credentials. */
export function failureHeaders(failure: Failure): Readonly<Record<string, string>> {
  return {
    ...(failure.retryAfterSeconds !== undefined && { 'retry-after': String(failure.retryAfterSeconds) }),
    ...(failure.retryAt !== undefined && { 'x-csp-retry-at': failure.retryAt }),
    ...(failure.code === 'unauthorized' && { 'www-authenticate': 'Bearer' }),
    ...(!isWorthRetrying(failure) && { 'x-should-retry': 'false' }),
  }
}

const statuses = {
  'invalid-request': 400,
  unauthorized: 401,
  'signed-out': 503,
  'rate-limited': 429,
  busy: 429,
  unavailable: 503,
  ungrounded: 502,
  timeout: 504,
  // Never read, since the caller has gone. 408 would make client libraries try again.
  cancelled: 499,
  failed: 500,
  'unknown-model': 404,
  'not-found': 404,
  'method-not-allowed': 405,
  'too-large': 413,
  'encoded-body': 415,
  // On 405 clients would try WebSocket again; 426 sends them to HTTP at once.
  'no-websocket': 426,
  forbidden: 403,
  // Not 502, after which clients would try again.
  'page-unreadable': 422,
  'pages-off': 501,
  'jobs-off': 501,
} as const satisfies Record<Failure['code'], number>

/** Client libraries obey `Retry-After` only up to this; beyond it they try again at once. */
const maxObeyedWaitSeconds = 60

/** Whether a quota is spent for longer than a client waits. */
export function isSpent({ code, retryAfterSeconds = Number.POSITIVE_INFINITY }: Failure): boolean {
  return code === 'rate-limited' && retryAfterSeconds > maxObeyedWaitSeconds
}

/**
 * Client libraries repeat a 429 or a 5xx twice within seconds, and each time it costs a search. That helps only with
 * short failures. A missing sign-in or a spent quota lasts longer, and a search that timed out, failed or was
 * ungrounded has already been retried by the executor.
 */
function isWorthRetrying({ code, retryAfterSeconds }: Failure): boolean {
  if (!isSearchErrorCode(code)) return false
  const { retry } = traitsOf(code)
  if (retry !== 'as-reported') return retry !== 'never'
  return retryAfterSeconds !== undefined && retryAfterSeconds <= maxObeyedWaitSeconds
}
