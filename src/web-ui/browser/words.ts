// Numbers and times in words, in the language and the zone of the reader.

export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  return ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : span(Math.round(ms / 1000))
}

/** The time from now until then: `in 2 h 13 min`, `5 min ago`, `now`. */
export function fromNow(then: string | number): string {
  const seconds = Math.round((new Date(then).getTime() - Date.now()) / 1000)
  if (!(Math.abs(seconds) >= 1)) return 'now'
  return seconds > 0 ? `in ${span(seconds)}` : `${span(-seconds)} ago`
}

export function span(seconds: number): string {
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3600) % 24,
    Math.floor(seconds / 60) % 60,
  ]
  if (days > 0) return `${days} d ${hours} h`
  if (hours > 0) return `${hours} h ${minutes} min`
  if (minutes > 0) return `${minutes} min`
  return `${seconds} s`
}

/** The time of a day, with its date if it is another day: `16:06`, `3 Dec, 16:06`. */
export function clock(then: string | number): string {
  const time = new Date(then)
  const shown = time.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
  return isToday(time) ? shown : `${time.toLocaleDateString([], { day: 'numeric', month: 'short' })}, ${shown}`
}

/** When something was, as people say it: `10 min ago`, `Yesterday, 18:20`, `3 Dec`. */
export function ago(then: string | number): string {
  const time = new Date(then)
  const seconds = (Date.now() - time.getTime()) / 1000
  if (seconds < 60) return 'just now'
  if (seconds < 3600 || (isToday(time) && seconds < 6 * 3600)) return `${span(seconds).replace(/ \d+ min$/, '')} ago`
  const yesterday = new Date(Date.now() - 86_400_000)
  const hours = time.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
  if (isToday(time)) return hours
  if (time.toDateString() === yesterday.toDateString()) return `Yesterday, ${hours}`
  if (seconds < 6 * 86_400) return time.toLocaleDateString([], { weekday: 'long' })
  return time.toLocaleDateString([], { day: 'numeric', month: 'short', year: 'numeric' })
}

/** A day as pages write it, `2026-03-12`: `12 Mar 2026`, without its day `Mar 2026`. Anything else stays as it is. */
export function day(date: string | null | undefined, isShort = false): string {
  if (!date || !/^\d{4}-\d\d-\d\d/.test(date)) return date ?? ''
  const options = { month: 'short', year: 'numeric', timeZone: 'UTC', day: isShort ? undefined : 'numeric' } as const
  return new Date(date.slice(0, 10)).toLocaleDateString([], options)
}

function isToday(time: Date): boolean {
  return time.toDateString() === new Date().toDateString()
}

/** `1 page`, `1,284 pages`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString()} ${number === 1 ? one : many}`
}

/** How an answer was made: `research` is what the page calls a report. */
export function strategyName(kind: string): string {
  return kind === 'research' ? 'Report' : kind.charAt(0).toUpperCase() + kind.slice(1)
}

/** `every 5 seconds`, `every second`. */
export function every(number: number, one: string): string {
  return `every ${number === 1 ? one : count(number, one)}`
}

export function isWebAddress(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
}

export function hostOf(url: string): string {
  return isWebAddress(url) ? new URL(url).host.replace(/^www\./, '') : url
}
