import type { Freshness, SearchFilters } from '../../domain/search.ts'
import type { Issue } from '../exchange/failure.ts'
import { refused } from '../exchange/refusal.ts'
import { Rejection, textField } from './field.ts'

/** `YYYY-MM-DD` of a day that exists; `undefined` for 31 April and the like. */
export function calendarDate(year: number, month: number, day: number): string | undefined {
  const date = new Date(Date.UTC(year, month - 1, day))
  // Date.UTC reads a year below 100 as one of the twentieth century, so such a year fails the comparison.
  const exists = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  return exists ? date.toISOString().slice(0, 10) : undefined
}

/** A day as `YYYY-MM-DD`; a time after it is dropped. */
export const isoDateField = textField((text) => {
  const [year = 0, month = 0, day = 0] =
    /^(\d{4})-(\d{2})-(\d{2})(?:[T ].*)?$/.exec(text.trim())?.slice(1).map(Number) ?? []
  return (
    calendarDate(year, month, day) ?? new Rejection('value_error', 'Input should be an existing date, as YYYY-MM-DD')
  )
}, 'date as YYYY-MM-DD')

export type PublishedWithin = Pick<SearchFilters, 'freshness' | 'publishedAfter' | 'publishedBefore'>

/**
 * How old a page may be: one of the names, or a range `YYYY-MM-DDtoYYYY-MM-DD`. With `..` between its dates a range may
 * also be a single day. Empty text means any age.
 */
export function freshnessField(names: Readonly<Record<string, Freshness | undefined>>, between: 'to' | '..' = 'to') {
  const spelled = new Map(Object.entries(names).map(([name, freshness]) => [name.toLowerCase(), freshness]))
  const day = 'YYYY-MM-DD'
  const expected = [...Object.keys(names), ...(between === '..' ? [day] : []), `${day}${between}${day}`].join(', ')
  return textField((sent) => {
    const text = sent.trim()
    if (!text) return {}
    if (spelled.has(text.toLowerCase())) return { freshness: spelled.get(text.toLowerCase()) }
    const isDay = between === '..' && !text.includes(between)
    const [from = '', to = '', ...more] = isDay ? [text, text] : text.split(between)
    const isRange = [from, to].every((date) => /^\d{4}-\d{2}-\d{2}$/.test(date)) && more.length === 0
    return isRange
      ? readRange(from, to)
      : new Rejection('value_error', `Input should be one of ${expected}`, { expected })
  }, expected)
}

function readRange(from: string, to: string): PublishedWithin | Rejection {
  const [publishedAfter, publishedBefore] = [from, to].map((date) => {
    const [year = 0, month = 0, day = 0] = date.split('-').map(Number)
    return calendarDate(year, month, day)
  })
  if (!publishedAfter || !publishedBefore) {
    return new Rejection('date_from_datetime_parsing', 'Input should be a range of existing dates')
  }
  if (publishedAfter > publishedBefore)
    return new Rejection('value_error', 'The end of the range should not be before its start')
  return { publishedAfter, publishedBefore }
}

/** The filter of two dates. Throws a `Refusal` at `end`, the path of the second field, where that one is the earlier. */
export function publishedBetween(
  publishedAfter: string | undefined,
  publishedBefore: string | undefined,
  end: Issue['path'],
): Pick<SearchFilters, 'publishedAfter' | 'publishedBefore'> {
  if (publishedAfter && publishedBefore && publishedAfter > publishedBefore) {
    throw refused(end, 'The end date should not be before the start date')
  }
  return { publishedAfter, publishedBefore }
}

/**
 * The shortest freshness that covers a number of days, which may be a fraction; `undefined` beyond a year. It is longer
 * than requested rather than an exact date, since a dialect has no clock.
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
