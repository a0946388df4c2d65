import { monthNumber } from '@csp/language/months'
import { finished, type Pieces } from '@csp/lib/pieces'
import type { Scan } from './scan.ts'

/** A date, as far as it is written. */
export interface WrittenDate {
  readonly year?: number | undefined
  readonly month: number
  readonly day?: number | undefined
  readonly start: number
  readonly end: number
}

/** The dates of a text: a month with a day, a year or both. Of `4/5/2026` both readings, since few texts tell which. */
export function datesIn(found: Scan, language?: string): readonly WrittenDate[] {
  return finished(readingDates(found, language))
}

/** The same in pieces, between which others may work. */
export function* readingDates(found: Scan, language?: string): Pieces<readonly WrittenDate[]> {
  const dates: WrittenDate[] = []
  let count = 0
  for (const readings of [numericDates(found.text), namedDates(found, language)]) {
    for (const date of readings) {
      if (date && isDate(date)) dates.push(date)
      if (!date || ++count % datesAtOnce === 0) yield
    }
  }
  return dates
}

/** Each takes up to a microsecond or two. */
const datesAtOnce = 500
const figuresAtOnce = 1000

function isDate({ month, day, year }: WrittenDate): boolean {
  const isDay = day === undefined ? year !== undefined : day >= 1 && day <= 31
  return month >= 1 && month <= 12 && isDay
}

const yearFirst =
  /(?<![\d./-])(\d{4})(?:\s?[年년]\s?|[-/.])(\d{1,2})(?:\s?[月월]\s?(?:(\d{1,2})\s?[日일])?|[-/.](\d{1,2})(?![\d/]))/g
const yearLast = /(?<![\d./-])(\d{1,2})([-/.])\s?(\d{1,2})\2\s?(\d{4}|\d{2})(?![\d/-])/g
/** As in `am 5.3.`: elsewhere it is a decimal at the end of a sentence. */
const dayFirst = /(?<=(?:\b(?:am|vom|zum|bis|den|ab)\s|\())(\d{1,2})\.\s?(\d{1,2})\.(?!\s?\d)/g
const withoutYear = /(?<![\d年년]\s?)(\d{1,2})\s?[月월]\s?(\d{1,2})\s?[日일]/g

/** `undefined`: others may work. */
type Readings = Generator<WrittenDate | undefined, void, undefined>

function* numericDates(text: string): Readings {
  for (const { 0: whole, index: start, 1: year, 2: month, 3: day, 4: last } of text.matchAll(yearFirst)) {
    const written = day ?? last
    yield {
      year: Number(year),
      month: Number(month),
      day: written === undefined ? undefined : Number(written),
      start,
      end: start + whole.length,
    }
  }
  yield undefined
  for (const { 0: whole, index: start, 1: first, 3: second, 4: last = '' } of text.matchAll(yearLast)) {
    const year = last.length > 2 ? Number(last) : Number(last) + (last < '70' ? 2000 : 1900)
    const end = start + whole.length
    yield { year, month: Number(second), day: Number(first), start, end }
    yield { year, month: Number(first), day: Number(second), start, end }
  }
  yield undefined
  for (const { 0: whole, index: start, 1: day, 2: month } of text.matchAll(dayFirst)) {
    yield { month: Number(month), day: Number(day), start, end: start + whole.length }
  }
  for (const { 0: whole, index: start, 1: month, 2: day } of text.matchAll(withoutYear)) {
    yield { month: Number(month), day: Number(day), start, end: start + whole.length }
  }
}

/** Words between the parts of a date: `4 de mayo de 2026`, `4th of May`. */
const between = new Set(['de', 'del', 'of', 'd', 'do', 'st', 'nd', 'rd', 'th', 'er', 'the'])

function* namedDates({ text, words, starts, ends, figures }: Scan, language: string | undefined): Readings {
  /** The place of the next word that is no filler, if it is near. */
  const next = (at: number, step: 1 | -1): number => {
    for (let place = at + step, count = 0; count < 3; place += step, count++) {
      const [left, right] = step > 0 ? [place - 1, place] : [place, place + 1]
      if (words[place] === undefined || (starts[right] ?? 0) - (ends[left] ?? 0) > 3) return -1
      if (!between.has(words[place] ?? '')) return place
    }
    return -1
  }
  const numbers = new Map<number, number | undefined>()
  for (const [count, { at, isSpelled }] of figures.entries()) {
    if (!isSpelled) numbers.set(at, plainNumber(words[at] ?? ''))
    if (count % figuresAtOnce === 0) yield undefined
  }
  const known = new Map<string, number | undefined>()
  const monthAt = (place: number): number | undefined => {
    const word = words[place] ?? ''
    // Japanese and Chinese months are numbers.
    if (/^\d/.test(word)) return undefined
    if (!known.has(word)) {
      known.set(word, monthNumber(text.slice(starts[place], ends[place]).normalize('NFC'), language))
    }
    return known.get(word)
  }
  const months = new Set<number>()
  /** Those of a month: in `May 3, May 4` each has its own. */
  const days = new Set<number>()
  let read = 0
  for (const [at, value] of numbers) {
    if (++read % figuresAtOnce === 0) yield undefined
    if (value === undefined || (value > 31 && (value < 1000 || value > 2999))) continue
    for (const place of [next(at, -1), next(at, 1)]) {
      if (place < 0 || months.has(place) || numbers.has(place)) continue
      const month = monthAt(place)
      if (month === undefined) continue
      months.add(place)
      const around = [next(place, -1), next(place, 1)]
      const day = around.find((near) => isDay(numbers.get(near)) && !days.has(near))
      if (day !== undefined) days.add(day)
      const years = [...around, ...(day !== undefined && day > place ? [next(day, 1)] : [])]
      const year = years.find((near) => isYear(numbers.get(near)))
      const parts = [place, day ?? place, year ?? place]
      yield {
        month,
        day: numbers.get(day ?? -1),
        year: numbers.get(year ?? -1),
        start: starts[Math.min(...parts)] ?? 0,
        end: ends[Math.max(...parts)] ?? 0,
      }
    }
  }
}

function plainNumber(digits: string): number | undefined {
  return /^\d{1,4}$/.test(digits) ? Number(digits) : undefined
}

const isDay = (value: number | undefined) => value !== undefined && value >= 1 && value <= 31
const isYear = (value: number | undefined) => value !== undefined && value >= 1000 && value <= 2999

/** The dates of a page, to be found by what a sentence says of them. */
export class DateIndex {
  readonly #known = new Set<string>()

  add({ year, month, day }: Pick<WrittenDate, 'year' | 'month' | 'day'>): void {
    const [years, days] = [year ?? none, day ?? none]
    const key = keyOf(years, month, days)
    if (this.#known.has(key)) return
    for (const one of [key, keyOf(any, month, days), keyOf(years, month, any), keyOf(any, month, any)])
      this.#known.add(one)
  }

  /** Whether a date stands here. One without its year holds where the year stands elsewhere. */
  has({ year, month, day }: Pick<WrittenDate, 'year' | 'month' | 'day'>, hasYear: (year: number) => boolean): boolean {
    if (this.#known.has(keyOf(year ?? any, month, day ?? any))) return true
    return year !== undefined && this.#known.has(keyOf(none, month, day ?? any)) && hasYear(year)
  }
}

const none = 'none'
const any = 'any'

function keyOf(year: number | string, month: number, day: number | string): string {
  return `${year} ${month} ${day}`
}
