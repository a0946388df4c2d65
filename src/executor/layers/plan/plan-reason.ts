import { type LimitWindowHealth, windowInWords } from '../../../domain/health.ts'
import { utcMomentOf } from '../../../lib/times.ts'

/** Why a plan is left alone, for a person to read. */

/** The part of a window that is kept, and for whom: follows how much is used. */
export function keptReason({ window }: LimitWindowHealth, kept: number, key?: string): string {
  const left = `the last ${Math.round(kept * 100)}%`
  const rest = key === undefined ? `${left} is kept for its owner (--plan-reserve)` : `the key "${key}" leaves ${left}`
  return `of Claude's ${windowInWords(window)} is used${kept > 0 ? `; ${rest}` : ''}.`
}

/** When a window is over, if that is known. */
export function endReason({ resetsAt }: LimitWindowHealth, now: number): string {
  return resetsAt === undefined ? '' : ` It resets at ${utcMomentOf(resetsAt, now)}.`
}

/** Why nothing is searched that would be paid. */
export function paidReason(until: number, now: number): string {
  const end = endReason({ resetsAt: new Date(until).toISOString() }, now)
  return `The plan is used up, and csp makes no search that is paid as extra usage (--plan-only).${end}`
}

/** `91%`, never rounded up. */
export function percent(part: number): string {
  return `${Math.floor(part * 100)}%`
}
