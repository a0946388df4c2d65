import type { z } from 'zod'
import type { Category } from '../../../domain/search.ts'
import { freshnessField } from '../../fields/dates.ts'
import { booleanField, integerField, nameField, optional, Rejection, textField } from '../../fields/field.ts'
import { type Locale, readLocale } from '../../fields/locale.ts'
import { countryField, languageField } from '../../fields/places.ts'
import { ordinaryQuery, queryField } from '../../fields/query.ts'
import { readSiteOperators } from '../../fields/site-operators.ts'
import { withoutEffect } from '../../http/unread.ts'
import type { ListWish } from '../../list-dialect.ts'

/** The rows of a page by default. */
export const defaultCount = 10

/** `de-CH` or `zh-hans-CN`; some clients send the language alone. */
const marketField = textField((text): Locale | Rejection => {
  if (!text.trim()) return {}
  return readLocale(text, 'language') ?? new Rejection('value_error', 'Input should be a market such as en-US')
}, 'market: en-US')

/** The parameters of both searches. */
export const bingFields = {
  q: queryField(ordinaryQuery),
  offset: optional(integerField(0, 1_000)),
  mkt: optional(marketField),
  cc: optional(countryField),
  setLang: optional(languageField),
  safeSearch: optional(nameField(['Off', 'Moderate', 'Strict']).transform((name) => safeSearchLevels[name])),
  freshness: optional(freshnessField({ Day: 'day', Week: 'week', Month: 'month' }, '..')),
  textDecorations: withoutEffect(optional(booleanField)),
  textFormat: optional(nameField(['Raw', 'HTML'])),
}

const safeSearchLevels = { Off: 'off', Moderate: 'moderate', Strict: 'strict' } as const

/** The documented headers that act. */
export const bingHeaders = { 'accept-language': 'The language of the pages, where `cc` names the country' }

type BingInput = z.output<z.ZodObject<typeof bingFields>>

/** Which rows of a search. */
export function bingRows({ count, offset }: BingInput & { readonly count?: number | undefined }) {
  return { rows: count, offset }
}

/** Translates a search. */
export function readBing(input: BingInput, headers: Headers, category?: Category): ListWish {
  const { q, mkt, cc, setLang } = input
  return {
    query: q,
    filters: {
      ...input.freshness,
      ...readSiteOperators(q).sites,
      country: cc ?? mkt?.country,
      language: mkt?.language ?? setLang ?? (cc && acceptedLanguage(headers)),
      safeSearch: input.safeSearch,
      category,
    },
  }
}

function acceptedLanguage(headers: Headers): string | undefined {
  const [first = ''] = headers.get('accept-language')?.split(/[,;]/) ?? []
  return languageField.safeParse(first).data
}
