import type { Freshness } from '../../domain/search.ts'

/**
 * The shortest freshness that holds so many days, fractions included; `undefined` beyond a year. Longer than asked for
 * rather than a date: which day it is, is no dialect's to know.
 */
export function recentDays(days: number): Freshness | undefined {
  return spans.find(([longest]) => days <= longest)?.[1]
}

const spans = [
  [1 / 24, 'hour'],
  [1, 'day'],
  [7, 'week'],
  [31, 'month'],
  [366, 'year'],
] as const
