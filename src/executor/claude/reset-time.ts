/**
 * Finds when a usage limit ends in a message such as `resets 9:02am (UTC)` or `resets Nov 25, 9am (Europe/Berlin)`.
 * The next such time after `now`; nothing when the message does not say.
 */
export function resetTime(text: string, now: Date): Date | undefined {
  const match = pattern.exec(text)
  if (!match?.groups) return undefined
  const { month, day, hour, minute = '0', half, zone = 'UTC' } = match.groups
  const hours = (Number(hour) % 12) + (half?.toLowerCase() === 'pm' ? 12 : 0)
  const clock = { hours, minutes: Number(minute) }
  const offset = zoneOffset(zone, now)
  if (offset === undefined) return undefined
  const local = new Date(now.getTime() + offset)
  const monthIndex = month ? months.indexOf(month.slice(0, 3).toLowerCase()) : local.getUTCMonth()
  if (monthIndex < 0) return undefined
  const at = (year: number, dayOfMonth: number) =>
    new Date(Date.UTC(year, monthIndex, dayOfMonth, clock.hours, clock.minutes) - offset)
  const found = at(local.getUTCFullYear(), day ? Number(day) : local.getUTCDate())
  if (found > now) return found
  return day ? at(local.getUTCFullYear() + 1, Number(day)) : new Date(found.getTime() + dayMs)
}

const dayMs = 86_400_000
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const pattern =
  /resets?(?: at)?\s+(?:(?<month>[A-Z][a-z]{2,8})\s+(?<day>\d{1,2}),?\s+(?:at\s+)?)?(?<hour>\d{1,2})(?::(?<minute>\d{2}))?\s*(?<half>am|pm)(?:\s*\((?<zone>[\w/+-]+)\))?/i

/** How far a time zone is ahead of UTC at a moment, in milliseconds; nothing when there is no such zone. */
function zoneOffset(zone: string, at: Date): number | undefined {
  try {
    const parts = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
    }).formatToParts(at)
    const part = (type: string) => Number(parts.find((candidate) => candidate.type === type)?.value)
    const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'))
    return local - Math.floor(at.getTime() / 1000) * 1000
  } catch {
    return undefined
  }
}
