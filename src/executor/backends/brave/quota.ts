import type { RateLimitHealth } from '../../../domain/health.ts'

/** One of the windows that Brave counts in: a second, a month. */
interface Window {
  readonly limit: number
  readonly remaining: number
  readonly resetSeconds: number
}

/** The state of the longest window, whose end takes longest; `undefined` if Brave does not report it. */
export function braveQuota(headers: Headers, now: Date): RateLimitHealth | undefined {
  const window = windows(headers).at(-1)
  if (!window) return undefined
  const { limit, remaining, resetSeconds } = window
  return {
    status: remaining > 0 ? 'allowed' : 'rejected',
    window: resetSeconds > 86_400 ? 'month' : undefined,
    utilization: Math.min(1, Math.max(0, limit - remaining) / limit),
    resetsAt: new Date(now.getTime() + resetSeconds * 1000).toISOString(),
  }
}

/** The seconds until a request is allowed again, according to the windows that are used up. */
export function braveReset(headers: Headers): number | undefined {
  const spent = windows(headers).filter(({ remaining }) => remaining <= 0)
  return spent.length > 0 ? Math.max(...spent.map(({ resetSeconds }) => resetSeconds)) : undefined
}

/** The windows with a limit: 0 means none. */
function windows(headers: Headers): readonly Window[] {
  const [limits, remaining, resets] = ['limit', 'remaining', 'reset'].map((name) =>
    (headers.get(`x-ratelimit-${name}`) ?? '')
      .split(',')
      .map((part) => (part.trim() === '' ? Number.NaN : Number(part))),
  )
  const all = (limits ?? []).map((limit, index) => ({
    limit,
    remaining: remaining?.[index] ?? Number.NaN,
    resetSeconds: resets?.[index] ?? Number.NaN,
  }))
  return all.filter((window) => window.limit > 0 && Object.values(window).every(Number.isFinite))
}
