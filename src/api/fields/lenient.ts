import { z } from 'zod'
import type { Freshness } from '../../domain/search.ts'
import { type PublishedWithin, recentDays } from './dates.ts'
import { codeOf, languageCodeOf } from './names.ts'

// What models send where a field is to say nothing, or in words. For csp's own routes and tools alone: the routes of other
// vendors are as strict as the vendors.

/** Words for nothing, in any case. */
const nothing = new Set(['', 'null', 'none', 'nil', 'undefined', 'n/a', 'all', 'any', 'auto', 'default'])

/**
 * An object of which a field counts as absent where its value says nothing: blank text, `null`, `none`, `ALL`, and lists of
 * nothing else. Fields in `texts` hold any words, and stay as they are.
 */
export function lenient<Schema extends z.ZodType>(schema: Schema, texts: readonly string[] = []) {
  return z.preprocess((sent) => {
    if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return sent
    return Object.fromEntries(
      Object.entries(sent).flatMap(([name, value]) => {
        if (texts.includes(name)) return [[name, value]]
        if (!Array.isArray(value)) return saysNothing(value) ? [] : [[name, value]]
        const items = value.filter((item) => !saysNothing(item))
        return items.length === 0 && value.length > 0 ? [] : [[name, items]]
      }),
    )
  }, schema)
}

function saysNothing(value: unknown): boolean {
  return value === null || (typeof value === 'string' && nothing.has(value.trim().toLowerCase()))
}

/** The most rows of a list. */
export const maxCount = 20

/** A number of rows as it was sent, so that a reply can say that it was too large: `atMost` is what it means. */
export function countField() {
  return z.preprocess(
    (value) => (typeof value === 'string' && /^\d{1,9}$/.test(value.trim()) ? Number(value) : value),
    z.int().min(1).meta({ maximum: maxCount }),
  )
}

/** The number of rows that a count means. */
export function atMost(count: number): number {
  return Math.min(count, maxCount)
}

/** How old a page may be, as people write it: `pd`, `past week`, `last 7 days`, `24h`. Other text as it is. */
export function freshnessWords<Field extends z.ZodType<PublishedWithin, string>>(field: Field) {
  return z.preprocess((value) => (typeof value === 'string' ? (readFreshness(value) ?? value) : value), field)
}

function readFreshness(text: string): Freshness | undefined {
  const plain = text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, ' ')
  const short = Object.hasOwn(shortNames, plain) ? shortNames[plain] : undefined
  if (short) return short
  const spoken = /^(?:(?:with)?in )?(?:the )?(?:(?:past|last|previous|this) )?(\d{1,4})? ?([a-z]+)$/.exec(plain)
  const [, number, unit = ''] = spoken ?? []
  const days = Object.hasOwn(units, unit) ? units[unit] : undefined
  return days === undefined ? undefined : recentDays(Number(number ?? 1) * days)
}

const shortNames: Readonly<Record<string, Freshness>> = {
  pd: 'day',
  pw: 'week',
  pm: 'month',
  py: 'year',
  today: 'day',
  daily: 'day',
  weekly: 'week',
  monthly: 'month',
  yearly: 'year',
}

const unitDays: Readonly<Record<string, number>> = {
  h: 1 / 24,
  hour: 1 / 24,
  d: 1,
  day: 1,
  w: 7,
  week: 7,
  m: 30.5,
  month: 30.5,
  y: 366,
  year: 366,
}

const units: Readonly<Record<string, number>> = {
  ...unitDays,
  ...Object.fromEntries(Object.entries(unitDays).map(([unit, days]) => [`${unit}s`, days])),
}

/** A country by its English name as its code; other text as it is. */
export function countryWords<Field extends z.ZodType<unknown, string>>(field: Field) {
  return z.preprocess((value) => (typeof value === 'string' ? (codeOf(value) ?? value) : value), field)
}

/** A language by its English name as its code; other text as it is. */
export function languageWords<Field extends z.ZodType<unknown, string>>(field: Field) {
  return z.preprocess((value) => (typeof value === 'string' ? (languageCodeOf(value) ?? value) : value), field)
}
