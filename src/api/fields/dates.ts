import type { Freshness, SearchFilters } from '../../domain/search.ts'
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

/** How old a page may be: one of the names, or a range `YYYY-MM-DDtoYYYY-MM-DD`. Empty text means any age. */
export function freshnessField(names: Readonly<Record<string, Freshness>>) {
  return textField((text) => readFreshness(text.trim(), names), freshnessWords(names))
}

function freshnessWords(names: Readonly<Record<string, Freshness>>): string {
  return [...Object.keys(names), 'YYYY-MM-DDtoYYYY-MM-DD'].join(', ')
}

function readFreshness(text: string, names: Readonly<Record<string, Freshness>>): PublishedWithin | Rejection {
  if (!text) return {}
  if (Object.hasOwn(names, text)) return { freshness: names[text] }
  const range = /^(\d{4})-(\d{2})-(\d{2})to(\d{4})-(\d{2})-(\d{2})$/.exec(text)
  if (!range) {
    const expected = freshnessWords(names)
    return new Rejection('value_error', `Input should be one of ${expected}`, { expected })
  }
  const [fromYear = 0, fromMonth = 0, fromDay = 0, toYear = 0, toMonth = 0, toDay = 0] = range.slice(1).map(Number)
  const publishedAfter = calendarDate(fromYear, fromMonth, fromDay)
  const publishedBefore = calendarDate(toYear, toMonth, toDay)
  if (!publishedAfter || !publishedBefore) {
    return new Rejection('date_from_datetime_parsing', 'Input should be a range of existing dates')
  }
  if (publishedAfter > publishedBefore)
    return new Rejection('value_error', 'The end of the range should not be before its start')
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
