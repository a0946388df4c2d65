/** The types of error in the envelope of the Messages API, each with its status. */
export const errorStatus = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
} as const

/** A type of error of the Messages API. */
export type ErrorType = keyof typeof errorStatus

/** Whether the Messages API has an error of this type. */
export function isErrorType(type: unknown): type is ErrorType {
  return typeof type === 'string' && Object.hasOwn(errorStatus, type)
}

/** The type that the Messages API gives with a status. 499: the caller left. */
export function errorTypeOf(status: number): ErrorType {
  const own = Object.entries(errorStatus).find((entry) => entry[1] === status)?.[0]
  if (isErrorType(own)) return own
  if (status === 408) return 'timeout_error'
  if (status === 503) return 'overloaded_error'
  return status >= 499 ? 'api_error' : 'invalid_request_error'
}

/** The envelope: the body of a failed reply, and the data of `event: error` in a stream that has begun. */
export interface ErrorEnvelope {
  readonly type: 'error'
  readonly error: { readonly type: ErrorType; readonly message: string }
}

/** An error in that envelope. */
export function errorEnvelope(type: ErrorType, message: string): ErrorEnvelope {
  return { type: 'error', error: { type, message } }
}
