import { calendarDate, type PublishedWithin, recentDays } from './dates.ts'
import { Rejection, textField } from './field.ts'

/**
 * Google's `tbs`: `qdr:d`, `qdr:h6` or `cdr:1,cd_min:3/1/2026,cd_max:3/31/2026`. Other
 * parts, such as `sbd:1` for the order, are ignored.
 */
export const timeField = textField(readTime, 'qdr:d, qdr:h6, or cdr:1,cd_min:3/1/2026,cd_max:3/31/2026')

/** The days in each of Google's units of time; `n` is a minute. */
export const daysIn = new Map([
  ['s', 1 / 86_400],
  ['n', 1 / 1440],
  ['h', 1 / 24],
  ['d', 1],
  ['w', 7],
  ['m', 31],
  ['y', 366],
])

function readTime(text: string): PublishedWithin | Rejection {
  const parts = new Map(text.split(',').map((part) => splitAt(part.trim(), ':')))
  const [, unit = '', count = '1'] = /^([snhdwmy])(\d{1,4})?$/.exec(parts.get('qdr') ?? '') ?? []
  const days = daysIn.get(unit)
  if (days !== undefined) return { freshness: recentDays(days * Number(count)) }
  if (parts.has('qdr')) return new Rejection('value_error', 'Input should be a time such as qdr:d or qdr:w')
  const publishedAfter = readDate(parts.get('cd_min'))
  const publishedBefore = readDate(parts.get('cd_max'))
  if (publishedAfter === null || publishedBefore === null) {
    return new Rejection('value_error', 'Input should have existing dates, as MM/DD/YYYY')
  }
  if (publishedAfter && publishedBefore && publishedAfter > publishedBefore) {
    return new Rejection('value_error', 'The end of the range should not be before its start')
  }
  return { publishedAfter, publishedBefore }
}

/** `undefined` when there is none, `null` when it does not exist. */
function readDate(text: string | undefined): string | null | undefined {
  if (!text) return undefined
  const [, month, day, year] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(text) ?? []
  return calendarDate(Number(year), Number(month), Number(day)) ?? null
}

function splitAt(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

/** Whether nothing of a time acts, as with `sbd:1` or more than a year. */
export function isAnyTime({ freshness, publishedAfter, publishedBefore }: PublishedWithin): boolean {
  return freshness === undefined && publishedAfter === undefined && publishedBefore === undefined
}
