/** A date as pages write it, as `YYYY-MM-DD`; `undefined` when it is none that a page of the web may have. */
export function dateOf(text: string | null | undefined, now = Date.now()): string | undefined {
  if (!text) return undefined
  const trimmed = text.trim().slice(0, 64)
  const written =
    /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)/.exec(trimmed) ?? /^(\d{4})(\d{2})(\d{2})(?!\d)/.exec(trimmed)
  const time = written
    ? Date.UTC(Number(written[1]), Number(written[2]) - 1, Number(written[3]))
    : /\d{4}/.test(trimmed)
      ? Date.parse(/[zZ]|[+-]\d{2}:?\d{2}$|GMT|UTC/.test(trimmed) ? trimmed : `${trimmed} UTC`)
      : Number.NaN
  if (!(time >= earliest && time <= now + dayMs * 2)) return undefined
  const date = new Date(time).toISOString().slice(0, 10)
  // `2026-02-31` is no date.
  if (written && Number(date.slice(8)) !== Number(written[3])) return undefined
  return date
}

const dayMs = 86_400_000
/** There were no pages before. */
const earliest = Date.UTC(1990, 0, 1)
