/** `YYYY-MM-DD` of a day that exists; `undefined` for 31 April and the like. */
export function calendarDate(year: number, month: number, day: number): string | undefined {
  const date = new Date(Date.UTC(year, month - 1, day))
  // Date.UTC reads a year below 100 as one of the twentieth century, so those do not come back the same.
  const exists = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  return exists ? date.toISOString().slice(0, 10) : undefined
}
