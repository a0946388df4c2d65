import { utcMomentOf } from '@csp/lib/times'
import type { ExecutorHealth } from '../../domain/health.ts'
import type { Log } from './log.ts'

/** What each log has said last. */
const reported = new WeakMap<Log, string>()

/** Logs how the backends stand, once for each change. All are taken to be ready at first. */
export function reportHealth(log: Log, { ready, backends }: ExecutorHealth): void {
  // The next search shows which of the two it is.
  if (backends.some(({ breaker }) => breaker?.state === 'half-open')) return
  const problems = backends.flatMap(({ name, ready: isReady, problem }) =>
    isReady && !problem ? [] : [`${name}: ${problem ?? 'not ready.'}`],
  )
  const state = problems.join(' ')
  if (state === (reported.get(log) ?? '')) return
  reported.set(log, state)
  if (problems.length === 0) log('info', 'All backends are ready again.', { health: 'ok' })
  const [until] = backends.flatMap(({ breaker }) => breaker?.retryAt ?? [])
  const next = until === undefined ? '' : ` Next try at ${utcMomentOf(until)}.`
  for (const problem of problems) log('warning', `${problem}${next}`, { health: ready ? 'degraded' : 'down' })
}
