/**
 * Parses a full date only: `2026-05-01`, `20260501`, `2026-05-01T08:00Z`, `May 1, 2026`, `Fri, 1 May 2026`,
 * `Fri, 01 May 2026 08:00:00 GMT`, `01.05.2026`. Returns `YYYY-MM-DD`; `undefined` for partial, relative and impossible dates.
 */
export function fullDate(text: string): string | undefined {
  const words = text.trim().replace(/^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,?\s+/i, '')
  const iso = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[T ][\d:.]+(?:Z|[+-][\d:]+)?)?$/i.exec(words)
  if (iso) return date(iso[1], Number(iso[2]), iso[3])
  const compact = /^(\d{4})(\d{2})(\d{2})$/.exec(words)
  if (compact) return date(compact[1], Number(compact[2]), compact[3])
  const dotted = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(words)
  if (dotted) return date(dotted[3], Number(dotted[2]), dotted[1])
  const american = /^([a-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})$/i.exec(words)
  if (american) return date(american[3], month(american[1]), american[2])
  const day = words.replace(/ \d\d:\d\d(?::\d\d)?(?: (?:GMT|UTC|[+-]\d{4}))?$/, '')
  const british = /^(\d{1,2})(?:st|nd|rd|th)?(?: of)? ([a-z]{3,9})\.?,? (\d{4})$/i.exec(day)
  return british ? date(british[3], month(british[2]), british[1]) : undefined
}

const months = [
  ...['january', 'february', 'march', 'april', 'may', 'june'],
  ...['july', 'august', 'september', 'october', 'november', 'december'],
]

function month(name = ''): number {
  return months.findIndex((full) => full.startsWith(name.toLowerCase())) + 1
}

function date(year: string | undefined, monthNumber: number, day: string | undefined): string | undefined {
  const written = `${year}-${String(monthNumber).padStart(2, '0')}-${String(day).padStart(2, '0')}`
  const real = new Date(`${written}T00:00:00Z`)
  return !Number.isNaN(real.getTime()) && real.toISOString().startsWith(written) ? written : undefined
}
