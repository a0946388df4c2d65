import { calendarDate } from './calendar-date.ts'
import { Rejection, textField } from './field.ts'

/** A day as `YYYY-MM-DD`, also with a time behind it, which is dropped. */
export const isoDateField = textField((text) => {
  const [year = 0, month = 0, day = 0] =
    /^(\d{4})-(\d{2})-(\d{2})(?:[T ].*)?$/.exec(text.trim())?.slice(1).map(Number) ?? []
  return (
    calendarDate(year, month, day) ?? new Rejection('value_error', 'Input should be a date that exists, as YYYY-MM-DD')
  )
})
