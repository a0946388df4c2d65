/** How the sandbox's invented subscription stands. */
export interface RateLimit {
  /** Share of the five-hour window that is spent, 0 to 1. */
  readonly utilization: number
  /** When the window begins anew. */
  readonly resetsAt: Date
}

/** The headers in which the real API tells a subscriber how much is left. */
export function rateLimitHeaders(limit: RateLimit, verdict: 'allowed' | 'rejected'): Record<string, string> {
  const isNear = verdict === 'allowed' && limit.utilization >= warningThreshold
  const status = isNear ? 'allowed_warning' : verdict
  const reset = String(Math.floor(limit.resetsAt.getTime() / 1000))
  return {
    ...(status === 'rejected' && { 'retry-after': String(secondsUntil(limit)) }),
    'anthropic-ratelimit-unified-status': status,
    'anthropic-ratelimit-unified-reset': reset,
    'anthropic-ratelimit-unified-representative-claim': 'five_hour',
    'anthropic-ratelimit-unified-fallback-percentage': '0.5',
    'anthropic-ratelimit-unified-5h-status': status,
    'anthropic-ratelimit-unified-5h-reset': reset,
    'anthropic-ratelimit-unified-5h-utilization': String(status === 'rejected' ? 1 : limit.utilization),
    ...(isNear && { 'anthropic-ratelimit-unified-5h-surpassed-threshold': String(warningThreshold) }),
  }
}

/** Of the share that is spent: from here on the API warns. */
const warningThreshold = 0.9

function secondsUntil({ resetsAt }: RateLimit): number {
  return Math.max(1, Math.ceil((resetsAt.getTime() - Date.now()) / 1000))
}
