import { isSearchErrorCode, toSearchError, traitsOf } from '../../domain/error.ts'
import type { Failure } from '../dialect.ts'
import { Refusal } from './refusal.ts'

/** Says why a request failed, whatever was thrown. Neither causes nor stacks come along. */
export function failureOf(error: unknown): Failure {
  if (error instanceof Refusal) {
    const { code, message, issues } = error
    return { code, status: statuses[code], message, issues }
  }
  const { code, message, retryAfterSeconds } = toSearchError(error)
  return { code, status: statuses[code], message, issues: [], retryAfterSeconds }
}

/** The headers that tell a client when to come back, with what, or that it need not. */
export function failureHeaders(failure: Failure): Readonly<Record<string, string>> {
  return {
    ...(failure.retryAfterSeconds !== undefined && { 'retry-after': String(failure.retryAfterSeconds) }),
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
  // Nobody reads it: the caller has gone. 408 would invite the client library to try again.
  cancelled: 499,
  failed: 500,
  'unknown-model': 404,
  'not-found': 404,
  'method-not-allowed': 405,
  'too-large': 413,
  forbidden: 403,
} as const satisfies Record<Failure['code'], number>

/** Client libraries wait as long as `Retry-After` says only up to here; beyond it they come back at once. */
const maxObeyedWaitSeconds = 60

/**
 * Client libraries repeat a 429 or a 5xx twice, within seconds, and each time it would be a search. That helps only
 * where seconds help. A sign-in or a spent quota is not mended so soon, and a search that took all its time, broke or
 * came back ungrounded has had its second try behind the executor.
 */
function isWorthRetrying({ code, retryAfterSeconds }: Failure): boolean {
  if (!isSearchErrorCode(code)) return false
  const { retry } = traitsOf(code)
  if (retry !== 'as-told') return retry !== 'never'
  return retryAfterSeconds !== undefined && retryAfterSeconds <= maxObeyedWaitSeconds
}
