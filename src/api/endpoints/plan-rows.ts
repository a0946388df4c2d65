import {
  type BackendHealth,
  type HealthRow,
  kindsInWords,
  type LimitWindowHealth,
  type PlanHealth,
  type RateLimitHealth,
  windowInWords,
} from '../../domain/health.ts'

/** The windows of a backend's usage limit in words, and what is kept of them. */
export function planRows({ name, rateLimit, plan }: BackendHealth, now: Date): readonly HealthRow[] {
  const windows = limitWindows(rateLimit, now).map((window) => windowRow(name, window))
  return plan ? [...windows, planRow(name, plan, rateLimit)] : windows
}

/** Each window of a usage limit once, the one in force first. A window that has ended since the report is unused again. */
export function limitWindows(limit: RateLimitHealth | undefined, now: Date): readonly LimitWindowHealth[] {
  if (!limit) return []
  const { windows = [], ...main } = limit
  const isNamed = main.window !== undefined || windows.length === 0
  const current = { ...windows.find(({ window }) => window === main.window), ...main }
  const all = isNamed ? [current, ...windows.filter(({ window }) => window !== main.window)] : windows
  return all.map((one) => {
    const hasEnded = one.resetsAt !== undefined && Date.parse(one.resetsAt) <= now.getTime()
    return hasEnded ? { window: one.window, utilization: 0, status: 'allowed' } : one
  })
}

function windowRow(backend: string, { status, window, utilization, resetsAt }: LimitWindowHealth): HealthRow {
  const level = status === 'rejected' ? 'bad' : status === 'allowed_warning' ? 'warning' : 'ok'
  const share = utilization === undefined ? 'Not reached.' : `${Math.round(utilization * 100)}% used.`
  return {
    name: `${backend} ${windowInWords(window)}`,
    level,
    text: status === 'rejected' ? 'Reached.' : share,
    ...(utilization !== undefined && { used: status === 'rejected' ? 1 : utilization }),
    ...(resetsAt && { when: { label: 'Resets', at: resetsAt } }),
  }
}

/** What is kept of the plan, and what waits for that. */
function planRow(
  backend: string,
  { reserve, planOnly, paused }: PlanHealth,
  limit: RateLimitHealth | undefined,
): HealthRow {
  const name = `${backend} plan`
  const kept = reserve > 0 ? `The last ${Math.round(reserve * 100)}% of each limit is kept for you` : 'Nothing is kept'
  const extra = planOnly ? 'nothing is paid as extra usage' : 'more may be paid as extra usage'
  const text = paused ? `No ${kindsInWords(paused.kinds)} now. ${paused.reason}` : `${kept}; ${extra}.`
  const isPaying = limit?.overage?.inUse === true
  return {
    name,
    level: paused?.kinds.includes('lists') ? 'bad' : paused || isPaying ? 'warning' : 'ok',
    text: isPaying ? `${text} Claude is paid as extra usage now.` : text,
    ...(paused?.until && { when: { label: 'Until', at: paused.until } }),
  }
}
