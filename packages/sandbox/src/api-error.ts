import { errorEnvelope, errorTypeOf } from '@csp/messages-api/error'
import type { SandboxSettings } from './settings.ts'

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

/** The messages of the API, with 400, for an account that cannot pay. */
export const billingMessages = {
  'error-third-party':
    'Third-party apps now draw from your extra usage, not your plan limits. Add more at claude.ai/settings/usage and keep going.',
  'error-extra-usage': "You're out of extra usage. Add more at claude.ai/settings/usage and keep going.",
  'error-credit-balance':
    'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
} as const

/** The usage limit of the sandbox's invented subscription. */
type PlanUsage = Pick<SandboxSettings, 'utilization' | 'weekUtilization' | 'overage' | 'limitResetsAt'>

/** The state of a subscription: the call is within its limits, or which limit is reached. */
export type LimitVerdict = 'allowed' | 'five_hour' | 'seven_day'

/** The headers with which the real API reports usage to a subscriber. */
export function rateLimitHeaders(limit: PlanUsage, verdict: LimitVerdict): Record<string, string> {
  const { utilization, weekUtilization, overage } = limit
  const isWeek = verdict === 'seven_day' || utilization === 'none'
  const isReached = verdict !== 'allowed' || overage === 'in-use'
  const share = isWeek ? weekUtilization : utilization
  const isNear = !isReached && share >= warningThreshold
  const status = isReached ? 'rejected' : isNear ? 'allowed_warning' : 'allowed'
  const reset = seconds(limit.limitResetsAt)
  const weekReset = reset + 259_200
  const window = (name: string, isMain: boolean, end: number, used: number) => ({
    [`${prefix}-${name}-status`]: isMain ? status : 'allowed',
    [`${prefix}-${name}-reset`]: String(end),
    [`${prefix}-${name}-utilization`]: String(isMain && isReached ? 1 : used),
    ...(isMain && isNear && { [`${prefix}-${name}-surpassed-threshold`]: String(warningThreshold) }),
  })
  return {
    ...(verdict !== 'allowed' && {
      'retry-after': String(Math.max(1, (isWeek ? weekReset : reset) - seconds(new Date()))),
    }),
    [`${prefix}-status`]: status,
    [`${prefix}-reset`]: String(isWeek ? weekReset : reset),
    [`${prefix}-representative-claim`]: isWeek ? 'seven_day' : 'five_hour',
    [`${prefix}-fallback-percentage`]: '0.5',
    ...(utilization !== 'none' && window('5h', !isWeek, reset, utilization)),
    ...window('7d', isWeek, weekReset, weekUtilization),
    ...(overage !== 'off' && { [`${prefix}-overage-status`]: 'allowed' }),
    ...(overage === 'in-use' && { [`${prefix}-overage-in-use`]: 'true' }),
  }
}

const prefix = 'anthropic-ratelimit-unified'

function seconds(time: Date): number {
  return Math.floor(time.getTime() / 1000)
}

/** The API warns at this share of usage. */
const warningThreshold = 0.9
