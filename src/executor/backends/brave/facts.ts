import type { Freshness } from '../../../domain/search.ts'

// What Brave's reference says of its API, for the dialect and for the backend.

/** The limits of a query in the current reference. The dialect accepts them. */
export const queryLimits = { maxCharacters: 600, maxWords: 75 } as const

/** The limits until spring 2026. The backend stays within them, so that no deployment refuses its queries. */
export const formerQueryLimits = { maxCharacters: 400, maxWords: 50 } as const

/** Brave counts pages from 0, not results, and has ten of them. */
export const lastBatch = 9

/** `ALL` is anywhere. */
// biome-ignore format: a list of codes reads better in rows
export const countries = [
  'AR', 'AU', 'AT', 'BE', 'BR', 'CA', 'CL', 'DK', 'FI', 'FR', 'DE', 'GR', 'HK', 'IN', 'ID', 'IT', 'JP', 'KR', 'MY',
  'MX', 'NL', 'NZ', 'NO', 'CN', 'PL', 'PT', 'PH', 'RU', 'SA', 'ZA', 'ES', 'SE', 'CH', 'TW', 'TR', 'GB', 'US', 'ALL',
] as const

/** In Brave's spelling, which has `jp` for Japanese besides `ja`. */
// biome-ignore format: a list of codes reads better in rows
export const languages = [
  'ar', 'eu', 'bn', 'bg', 'ca', 'zh-hans', 'zh-hant', 'hr', 'cs', 'da', 'nl', 'en', 'en-gb', 'et', 'fi', 'fr', 'gl',
  'de', 'el', 'gu', 'he', 'hi', 'hu', 'is', 'it', 'ja', 'jp', 'kn', 'ko', 'lv', 'lt', 'ms', 'ml', 'mr', 'nb', 'pl',
  'pt-br', 'pt-pt', 'pa', 'ro', 'ru', 'sr', 'sk', 'sl', 'es', 'sv', 'ta', 'te', 'th', 'tr', 'uk', 'vi',
] as const

/** The last day, week, month and year. */
export const freshnessCodes: Readonly<Record<string, Freshness>> = { pd: 'day', pw: 'week', pm: 'month', py: 'year' }
