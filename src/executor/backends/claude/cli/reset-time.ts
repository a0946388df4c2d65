/**
 * Finds when a usage limit ends in a message such as `resets 9:02am (UTC)` or `resets Nov 25, 9am (Europe/Berlin)`.
 * It is the end of that minute, since the CLI omits the seconds: at most a few minutes ago, otherwise the next such time.
 * `undefined` when the message names none.
 */
export function resetTime(text: string, now: Date): Date | undefined {
  const named = pattern.exec(text)?.groups
  if (!named) return undefined
  const { month, day, year, hour, minute = '0', half, zone = 'UTC' } = named
  const today = inZone(zone, now)
  const monthIndex = month ? months.indexOf(month.slice(0, 3).toLowerCase()) : today?.getUTCMonth()
  if (!today || monthIndex === undefined || monthIndex < 0) return undefined
  const hours = (Number(hour) % 12) + (half?.toLowerCase() === 'pm' ? 12 : 0)
  const at = (year: number, dayOfMonth: number) =>
    fromZone(zone, Date.UTC(year, monthIndex, dayOfMonth, hours, Number(minute) + 1))
  const dayOfMonth = day ? Number(day) : today.getUTCDate()
  const found = at(year ? Number(year) : today.getUTCFullYear(), dayOfMonth)
  if (year || found.getTime() > now.getTime() - justNowMs) return found
  return day ? at(today.getUTCFullYear() + 1, dayOfMonth) : at(today.getUTCFullYear(), dayOfMonth + 1)
}

const justNowMs = 300_000
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const pattern =
  /resets?(?: at)?\s{1,9}(?:(?<month>[A-Z][a-z]{2,8})\s{1,9}(?<day>\d{1,2}),?\s{1,9}(?:(?<year>\d{4}),?\s{1,9})?(?:at\s{1,9})?)?(?<hour>\d{1,2})(?::(?<minute>\d{2}))?\s{0,9}(?<half>am|pm)(?:\s{0,9}\((?<zone>[\w/+-]{1,60})\))?/i

/** The moment at which a time zone's local time is what a date shows in UTC. */
function fromZone(zone: string, local: number): Date {
  const guess = new Date(local - offsetOf(zone, local))
  // The offset may have changed by then.
  return new Date(local - offsetOf(zone, guess.getTime()))
}

function offsetOf(zone: string, at: number): number {
  return (inZone(zone, new Date(at))?.getTime() ?? at) - at
}

/** A date whose UTC fields are a time zone's local time; `undefined` for an unknown zone. */
function inZone(zone: string, at: Date): Date | undefined {
  try {
    const parts = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    }).formatToParts(at)
    const part = (type: string) => Number(parts.find((candidate) => candidate.type === type)?.value)
    return new Date(
      Date.UTC(
        part('year'),
        part('month') - 1,
        part('day'),
        part('hour'),
        part('minute'),
        part('second'),
        at.getUTCMilliseconds(),
      ),
    )
  } catch {
    return undefined
  }
}
