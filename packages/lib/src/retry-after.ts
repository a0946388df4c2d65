/** The seconds after which a server wants to be asked again, from `Retry-After` in either form; 1 or more, whole. */
export function retryAfter(headers: Headers, now: Date): number | undefined {
  const text = headers.get('retry-after')?.trim()
  if (!text) return undefined
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : (Date.parse(text) - now.getTime()) / 1000
  return wholeSeconds(seconds)
}

/**
 * Seconds as `Retry-After` gives them: rounded up, 1 at least; `undefined` for anything but a time of at most a year.
 */
export function wholeSeconds(seconds: number): number | undefined {
  return Number.isFinite(seconds) && seconds < 31_536_000 ? Math.max(1, Math.ceil(seconds)) : undefined
}
