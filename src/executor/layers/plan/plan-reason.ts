import { type LimitWindowHealth, windowInWords } from '../../../domain/health.ts'

/** The part of a window that is kept, and for whom: follows how much is used. */
export function keptReason({ window }: LimitWindowHealth, kept: number, key?: string): string {
  const left = `the last ${Math.round(kept * 100)}%`
  const rest = key === undefined ? `${left} is kept for its owner (--plan-reserve)` : `the key "${key}" leaves ${left}`
  return `of Claude's ${windowInWords(window)} is used${kept > 0 ? `; ${rest}` : ''}.`
}

/** Why nothing is searched that would be paid. */
export const paidReason = 'The plan is used up, and csp makes no search that is paid as extra usage (--plan-only).'

/** `91%`, never rounded up. */
export function percent(part: number): string {
  return `${Math.floor(part * 100)}%`
}
