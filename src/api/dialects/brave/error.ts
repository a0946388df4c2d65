import type { ErrorBody, ErrorReply, Failure, Issue } from '../../exchange/failure.ts'

/** Brave's error envelope. Brave answers 422 to a wrong parameter, and to a missing or wrong token. */
export function braveError(failure: Failure, { id, createdAt }: ErrorReply, method: string): ErrorBody {
  const status = unprocessable.has(failure.code) ? 422 : failure.status
  const time = Math.floor(createdAt.getTime() / 1000)
  const error = {
    id,
    status,
    code: errorCode(failure),
    detail: errorDetail(failure),
    meta: errorMeta(failure, method === 'POST' ? 'body' : 'query'),
  }
  return {
    status,
    body: { type: 'ErrorResponse', error, time },
    headers: braveRateLimit(status === 429 ? (failure.retryAfterSeconds ?? 1) : undefined),
  }
}

/** Where a request keeps its parameters: in the query string of a GET, in the body of a POST. */
type BravePlace = 'query' | 'body'

const unprocessable: ReadonlySet<Failure['code']> = new Set(['invalid-request', 'unknown-model', 'unauthorized'])

function isValidation({ code, issues }: Failure): boolean {
  return code === 'invalid-request' || code === 'unknown-model' || (code === 'unauthorized' && issues.length > 0)
}

function errorCode(failure: Failure): string {
  if (isValidation(failure)) return 'VALIDATION'
  switch (failure.code) {
    case 'unauthorized':
      return 'SUBSCRIPTION_TOKEN_INVALID'
    case 'rate-limited':
      return 'QUOTA_LIMITED'
    case 'busy':
      return 'RATE_LIMITED'
    default:
      return failure.code.replaceAll('-', '_').toUpperCase()
  }
}

/** Some clients show only the detail, so it names the field. */
function errorDetail(failure: Failure): string {
  return isValidation(failure) ? `Unable to validate request parameter(s). ${failure.message}` : failure.message
}

function errorMeta(failure: Failure, place: BravePlace): Readonly<Record<string, unknown>> {
  if (isValidation(failure)) return { errors: failure.issues.map((issue) => validationError(issue, failure, place)) }
  if (failure.code === 'unauthorized') return { component: 'authentication' }
  return failure.status === 429 ? { component: 'rate_limiter' } : {}
}

function validationError(
  { path, type, message, input, context }: Issue,
  { code }: Failure,
  place: BravePlace,
): unknown {
  const location = code === 'unauthorized' ? ['header', 'x-subscription-token'] : [place, ...path]
  return { type, loc: location, msg: message, input: input ?? null, ctx: context }
}

/**
 * Brave's rate headers, for this second and this month. The server's own queue limits the rate, so the limit of a
 * second is generous, and 0 for the month means no limit. `resetSeconds`: nothing is left for so long.
 */
export function braveRateLimit(resetSeconds?: number): Readonly<Record<string, string>> {
  return {
    'x-ratelimit-limit': `${perSecond}, 0`,
    'x-ratelimit-policy': `${perSecond};w=1, 0;w=2592000`,
    'x-ratelimit-remaining': `${resetSeconds === undefined ? perSecond : 0}, 0`,
    'x-ratelimit-reset': `${resetSeconds ?? 1}, 0`,
  }
}

const perSecond = 20
