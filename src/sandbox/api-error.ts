import { errorEnvelope, errorTypeOf } from '../messages-api/error.ts'

/** The errors that the sandbox can return, by HTTP status. */
export type ApiErrorStatus = keyof typeof messages

export interface ApiErrorOptions {
  readonly requestId: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly message?: string | undefined
}

/** An error reply in the envelope of the Messages API. */
export function apiError(status: ApiErrorStatus, options: ApiErrorOptions): Response {
  const envelope = errorEnvelope(errorTypeOf(status), options.message ?? messages[status])
  const body = { ...envelope, request_id: options.requestId }
  return Response.json(body, { status, headers: { 'request-id': options.requestId, ...options.headers } })
}

const messages = {
  400: 'messages: the sandbox was told to find this request invalid',
  401: 'Invalid bearer token',
  403: 'Your account does not have permission to use this resource.',
  404: 'Not found',
  413: 'Request exceeds the maximum size',
  429: "This request would exceed your account's rate limit.",
  500: 'Internal server error',
  529: 'Overloaded',
} as const

/** What the API says, with 400, when an account cannot pay. */
export const billingMessages = {
  'error-third-party':
    'Third-party apps now draw from your extra usage, not your plan limits. Add more at claude.ai/settings/usage and keep going.',
  'error-extra-usage': "You're out of extra usage. Add more at claude.ai/settings/usage and keep going.",
  'error-credit-balance':
    'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
} as const

/** The usage limit of the sandbox's invented subscription. */
export interface PlanUsage {
  /** Share of the five-hour window that is used, 0 to 1. */
  readonly utilization: number
  /** When the window resets. */
  readonly resetsAt: Date
  /** Share of the seven-day window that is used, 0 to 1. It resets three days after the other. */
  readonly weekUtilization: number
}

/** What the API says of a subscription: that a call is within its limits, or which limit is reached. */
export type LimitVerdict = 'allowed' | 'five_hour' | 'seven_day'

/** The headers with which the real API reports usage to a subscriber. */
export function rateLimitHeaders(limit: PlanUsage, verdict: LimitVerdict): Record<string, string> {
  const isWeek = verdict === 'seven_day'
  const isNear = verdict === 'allowed' && limit.utilization >= warningThreshold
  const status = isNear ? 'allowed_warning' : verdict === 'allowed' ? 'allowed' : 'rejected'
  const reset = seconds(limit.resetsAt)
  const weekReset = reset + 259_200
  return {
    ...(status === 'rejected' && {
      'retry-after': String(Math.max(1, (isWeek ? weekReset : reset) - seconds(new Date()))),
    }),
    'anthropic-ratelimit-unified-status': status,
    'anthropic-ratelimit-unified-reset': String(isWeek ? weekReset : reset),
    'anthropic-ratelimit-unified-representative-claim': isWeek ? 'seven_day' : 'five_hour',
    'anthropic-ratelimit-unified-fallback-percentage': '0.5',
    'anthropic-ratelimit-unified-5h-status': isWeek ? 'allowed' : status,
    'anthropic-ratelimit-unified-5h-reset': String(reset),
    'anthropic-ratelimit-unified-5h-utilization': String(verdict === 'five_hour' ? 1 : limit.utilization),
    'anthropic-ratelimit-unified-7d-status': isWeek ? 'rejected' : 'allowed',
    'anthropic-ratelimit-unified-7d-reset': String(weekReset),
    'anthropic-ratelimit-unified-7d-utilization': String(isWeek ? 1 : limit.weekUtilization),
    ...(isNear && { 'anthropic-ratelimit-unified-5h-surpassed-threshold': String(warningThreshold) }),
  }
}

function seconds(time: Date): number {
  return Math.floor(time.getTime() / 1000)
}

/** The API warns at this share of usage. */
const warningThreshold = 0.9
