import type { ErrorBody, Failure, Issue } from '../../exchange/failure.ts'
import { fieldPath } from '../../exchange/refusal.ts'

/** Bing's error envelope. What its gateway refuses, such as a wrong key, has another one. */
export function bingError(failure: Failure): ErrorBody {
  const { code, status, message } = failure
  if (ofGateway.has(code)) return { status, body: { error: { code: String(status), message } } }
  const errors = failure.issues.length > 0 ? failure.issues.map(parameterError) : [{ ...kindOf(failure), message }]
  return { status, body: { _type: 'ErrorResponse', errors } }
}

const ofGateway = new Set<Failure['code']>(['unauthorized', 'not-found', 'method-not-allowed'])

function parameterError({ path, type, message, input }: Issue): unknown {
  return {
    code: 'InvalidRequest',
    subCode: type === 'missing' ? 'ParameterMissing' : 'ParameterInvalidValue',
    // Clients that show the message alone name the parameter, too.
    message: path.length > 0 ? `${fieldPath(path)}: ${message}.` : `${message}.`,
    parameter: path.length > 0 ? fieldPath(path) : undefined,
    value: typeof input === 'string' ? input : undefined,
  }
}

/** The documented codes. */
function kindOf({ code, status }: Failure): object {
  if (status === 429) return { code: 'RateLimitExceeded' }
  if (code === 'forbidden') return { code: 'InsufficientAuthorization', subCode: 'AuthorizationDisabled' }
  if (status < 500) return { code: 'InvalidRequest', subCode: 'Blocked' }
  return { code: 'ServerError', subCode: 'UnexpectedError' }
}
