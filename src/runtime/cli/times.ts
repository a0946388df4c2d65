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

/** A point in time in the time zone of this machine: `2026-11-21 23:15`. The text as it is where it is none. */
export function timeOf(iso: string): string {
  const time = new Date(iso)
  if (Number.isNaN(time.getTime())) return iso
  const two = (value: number) => String(value).padStart(2, '0')
  const day = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join('-')
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}`
}

/** A point in time as it is from now: `in 3 min`, `2 h ago`. Empty where it is none. */
export function fromNow(iso: string, now = Date.now()): string {
  const seconds = (new Date(iso).getTime() - now) / 1000
  if (Number.isNaN(seconds)) return ''
  if (Math.abs(seconds) < 1) return 'now'
  return seconds > 0 ? `in ${spanOf(seconds)}` : `${spanOf(-seconds)} ago`
}
