/** A time span for people: `4 h 6 min`. */
export function spanOf(seconds: number): string {
  const units = [
    ['d', 86_400],
    ['h', 3600],
    ['min', 60],
  ] as const
  const at = units.findIndex(([, size]) => seconds >= size)
  const [first, second] = at < 0 ? [] : [units[at], units[at + 1]]
  if (!first) return `${Math.floor(seconds)} s`
  const count = Math.floor(seconds / first[1])
  const rest = second ? Math.floor((seconds % first[1]) / second[1]) : 0
  return rest > 0 && second ? `${count} ${first[0]} ${rest} ${second[0]}` : `${count} ${first[0]}`
}

/** A point in time in the time zone of this machine: `2026-11-21 23:15`. Returns an invalid date unchanged. */
export function timeOf(iso: string): string {
  const time = new Date(iso)
  if (Number.isNaN(time.getTime())) return iso
  const two = (value: number) => String(value).padStart(2, '0')
  const day = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join('-')
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}`
}

/** A point in time relative to now: `in 3 min`, `2 h ago`. Empty for an invalid date. */
export function fromNow(iso: string, now = Date.now()): string {
  const seconds = (new Date(iso).getTime() - now) / 1000
  if (Number.isNaN(seconds)) return ''
  if (Math.abs(seconds) < 1) return 'now'
  return seconds > 0 ? `in ${spanOf(seconds)}` : `${spanOf(-seconds)} ago`
}

/** A point in time for a person at this machine: `16:06 (in 1 h)`, with its date unless that is today. */
export function momentOf(iso: string, now = Date.now()): string {
  const relative = fromNow(iso, now)
  if (!relative) return iso
  const [today, local] = [timeOf(new Date(now).toISOString()), timeOf(iso)]
  return `${local.slice(0, 10) === today.slice(0, 10) ? local.slice(11) : local} (${relative})`
}

/** A text with each time in ISO 8601 as `momentOf` shows it. */
export function withMoments(text: string, now = Date.now()): string {
  return text.replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z/g, (iso) => momentOf(iso, now))
}

/** Like `momentOf` for a reader whose time zone is unknown: `16:06 UTC (in 1 h)`. */
export function utcMomentOf(iso: string, now = Date.now()): string {
  const relative = fromNow(iso, now)
  if (!relative) return iso
  const [today, then] = [now, iso].map((time) => new Date(time).toISOString().slice(0, 16).replace('T', ' '))
  if (!today || !then) return iso
  return `${then.slice(0, 10) === today.slice(0, 10) ? then.slice(11) : then} UTC (${relative})`
}
