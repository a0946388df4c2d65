import { withAsciiDigits } from '@csp/language/digits'
import { monthNumber } from '@csp/language/months'

/** How a page writes dates: in BCP 47. */
export type Language = string | undefined

/** A date that a page gives to programs, as `YYYY-MM-DD`: the day as it is written, whatever its time zone. */
export function dateOf(text: string | null | undefined, language?: Language, now = Date.now()): string | undefined {
  const trimmed = withAsciiDigits(text?.trim().slice(0, 64) ?? '')
  const [, year, month, day] = separated.exec(trimmed) ?? compact.exec(trimmed) ?? []
  if (year) return dayOf(Number(year), Number(month), Number(day), now)
  const [, seconds] = unixTime.exec(trimmed) ?? []
  if (seconds) return plausible(new Date(Number(seconds) * 1000), now)
  return dateIn(trimmed, language, now)?.date
}

const separated = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)/
const compact = /^(\d{4})(\d{2})(\d{2})(?!\d)/
const unixTime = /^(1\d{9})(?:\d{3})?$/

/** The first whole date that a text has, and where it begins. Dates of other calendars are none. */
export function dateIn(
  text: string,
  language?: Language,
  now = Date.now(),
): { readonly date: string; readonly index: number } | undefined {
  const latin = withAsciiDigits(text)
  let best: { readonly date: string; readonly index: number } | undefined
  for (const [pattern, read] of notations) {
    for (const match of latin.matchAll(pattern).take(maxTried)) {
      if (best && match.index >= best.index) break
      const [year, month, day] = read(match, language)
      const date = dayOf(year, month, day, now)
      if (date !== undefined) best = { date, index: match.index }
    }
  }
  return best
}

/**
 * Whether a text shows this day in figures that could be read as another one: `11.03.17` may be of 2011 or of 2017,
 * `3/4/2026` of March or of April.
 */
export function mayShow(text: string, date: string): boolean {
  const [, century = '', y = '', m, d] = /^(\d\d)(\d\d)-(\d\d)-(\d\d)$/.exec(date) ?? []
  const year = century + y
  for (const [, a = '', separator, b = '', c = ''] of withAsciiDigits(text).matchAll(inFigures).take(maxTried)) {
    // Nobody puts the month first before points and a whole year.
    const isSure = a.length > 2 || (c.length > 2 && separator === '.')
    const [first, second, third] = [a, b, c].map((figures) => figures.padStart(2, '0'))
    const isYear = (figures: string | undefined) => figures === y || figures === year
    const isDay = (one: string | undefined, other: string | undefined) => one === m && other === d
    if (isSure) continue
    if (isYear(third) && (isDay(first, second) || isDay(second, first))) return true
    if (isYear(first) && isDay(second, third)) return true
  }
  return false
}

const inFigures = /(?<![\d./-])(\d{1,2})\s?([-/.])\s?(\d{1,2})\s?\2\s?(\d{4}|\d{1,2})(?!\d)/g

/** Texts that are looked at are short; a hostile one may have thousands of what is no date. */
const maxTried = 50

type Read = (match: RegExpExecArray, language: Language) => readonly [year: number, month: number, day: number]

const year = String.raw`((?:19[89]|20[0-4])\d)(?!\d)`
const name = String.raw`([\p{L}\p{M}॰]{3,14})`
const between = String.raw`\.?,?(?:[\s/-]{1,3}|[\s,.]{0,2}(?:de|del|of)\s)`

const notations: readonly (readonly [RegExp, Read])[] = [
  // 2026-05-04, 2026. 5. 4., 2026年5月4日, 2026년 5월 4일
  [
    new RegExp(String.raw`(?<!\d)${year}\s?[-/.年년]\s?(\d{1,2})\s?[-/.月월]\s?(\d{1,2})(?!\d)`, 'gu'),
    ([, y, m, d]) => [Number(y), Number(m), Number(d)],
  ],
  // 04.05.2026, 4/5/2026
  [
    new RegExp(String.raw`(?<![\d./-])(\d{1,2})(\s?[-/.]\s?)(\d{1,2})\2${year}`, 'gu'),
    ([, first, separator = '', second, y], language) => {
      const [a, b] = [Number(first), Number(second)]
      const isAmerican = separator.trim() !== '.' && (b > 12 || (a <= 12 && isAmericanEnglish(language)))
      return isAmerican ? [Number(y), a, b] : [Number(y), b, a]
    },
  ],
  // 04.05.26
  [/(?<![\d./-])(\d{1,2})\.(\d{1,2})\.(\d{2})(?![\d./-])/g, ([, d, m, y]) => [2000 + Number(y), Number(m), Number(d)]],
  // 4 May 2026, 4. Mai 2026, 4 de mayo de 2026, 4-May-2026
  [
    new RegExp(
      String.raw`(?<!\d)(\d{1,2})(?:st|nd|rd|th|er|[ºª.])?(?:\s?de|\s?of|[-/])?[\s/-]{0,2}${name}${between}${year}`,
      'giu',
    ),
    ([, d, m = '', y], language) => [Number(y), monthNumber(m, language) ?? 0, Number(d)],
  ],
  // May 4, 2026; May 4th 2026; Mon May 4 10:00:00 UTC 2026
  [
    new RegExp(
      String.raw`${name}\.?\s{1,2}(\d{1,2})(?:st|nd|rd|th)?,?\s{1,2}(?:\d\d:\d\d:\d\d\s(?:[A-Z]{3,4}\s)?)?${year}`,
      'giu',
    ),
    ([, m = '', d, y], language) => [Number(y), monthNumber(m, language) ?? 0, Number(d)],
  ],
  // 2026. május 4., 2026 m. gegužės 4 d.
  [
    new RegExp(String.raw`(?<!\d)${year}\.?,?\s{1,2}(?:m\.\s)?${name}\.?\s{1,2}(\d{1,2})(?!\d)`, 'giu'),
    ([, y, m = '', d], language) => [Number(y), monthNumber(m, language) ?? 0, Number(d)],
  ],
  // 4 tháng 5, 2026
  [
    new RegExp(String.raw`(?<!\d)(\d{1,2})\s(?:tháng|th)\s(\d{1,2}),?\s(?:năm\s)?${year}`, 'giu'),
    ([, d, m, y]) => [Number(y), Number(m), Number(d)],
  ],
]

function isAmericanEnglish(language: Language = ''): boolean {
  return /^en(?:-us)?$/i.test(language)
}

function dayOf(year: number, month: number, day: number, now: number): string | undefined {
  const time = new Date(Date.UTC(year, month - 1, day))
  // `2026-02-31` is no date.
  return time.getUTCDate() === day && time.getUTCMonth() === month - 1 ? plausible(time, now) : undefined
}

/** There were no pages before 1990, and there are none of next week. */
function plausible(time: Date, now: number): string | undefined {
  return time.getTime() >= Date.UTC(1990, 0, 1) && time.getTime() <= now + 2 * dayMs
    ? time.toISOString().slice(0, 10)
    : undefined
}

const dayMs = 86_400_000
