import type { Freshness, SearchFilters } from '../../domain/search.ts'
import { calendarDate } from './calendar-date.ts'
import { Rejection, textField } from './field.ts'

export type PublishedWithin = Pick<SearchFilters, 'freshness' | 'publishedAfter' | 'publishedBefore'>

/** How old a page may be: one of the names, or a range `YYYY-MM-DDtoYYYY-MM-DD`. Empty text means any age. */
export function freshnessField(names: Readonly<Record<string, Freshness>>) {
  return textField((text) => readFreshness(text.trim(), names))
}

function readFreshness(text: string, names: Readonly<Record<string, Freshness>>): PublishedWithin | Rejection {
  if (!text) return {}
  if (Object.hasOwn(names, text)) return { freshness: names[text] }
  const range = /^(\d{4})-(\d{2})-(\d{2})to(\d{4})-(\d{2})-(\d{2})$/.exec(text)
  if (!range) {
    const expected = [...Object.keys(names), 'YYYY-MM-DDtoYYYY-MM-DD'].join(', ')
    return new Rejection('value_error', `Input should be one of ${expected}`, { expected })
  }
  const [fromYear = 0, fromMonth = 0, fromDay = 0, toYear = 0, toMonth = 0, toDay = 0] = range.slice(1).map(Number)
  const publishedAfter = calendarDate(fromYear, fromMonth, fromDay)
  const publishedBefore = calendarDate(toYear, toMonth, toDay)
  if (!publishedAfter || !publishedBefore) {
    return new Rejection('date_from_datetime_parsing', 'Input should be a range of dates that exist')
  }
  if (publishedAfter > publishedBefore) return new Rejection('value_error', 'The range should not end before it begins')
  return { publishedAfter, publishedBefore }
}
