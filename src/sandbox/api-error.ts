/** The errors that the sandbox can play, by HTTP status. */
export type ApiErrorStatus = keyof typeof apiErrors

export interface ApiErrorOptions {
  readonly requestId: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly message?: string | undefined
}

/** An error reply in the envelope of the Messages API. */
export function apiError(status: ApiErrorStatus, options: ApiErrorOptions): Response {
  const { type, message } = apiErrors[status]
  const body = { type: 'error', error: { type, message: options.message ?? message }, request_id: options.requestId }
  return Response.json(body, { status, headers: { 'request-id': options.requestId, ...options.headers } })
}

const apiErrors = {
  400: { type: 'invalid_request_error', message: 'messages: the sandbox was told to find this request invalid' },
  401: { type: 'authentication_error', message: 'Invalid bearer token' },
  403: { type: 'permission_error', message: 'Your account does not have permission to use this resource.' },
  404: { type: 'not_found_error', message: 'Not found' },
  413: { type: 'request_too_large', message: 'Request exceeds the maximum size' },
  429: { type: 'rate_limit_error', message: "This request would exceed your account's rate limit." },
  500: { type: 'api_error', message: 'Internal server error' },
  529: { type: 'overloaded_error', message: 'Overloaded' },
} as const
