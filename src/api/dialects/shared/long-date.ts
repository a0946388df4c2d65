/** `2026-05-01` as `May 1, 2026`. By hand: `Intl` takes longer than all the rest of a row. */
export function longDate(date: string): string {
  const [year, month, day] = date.split('-').map(Number)
  return `${months[(month ?? 1) - 1]} ${day}, ${year}`
}

const months = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
]
