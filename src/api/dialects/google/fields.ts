import { z } from 'zod'
import type { Freshness } from '../../../domain/search.ts'
import { calendarDate, type PublishedWithin, recentDays } from '../../fields/dates.ts'
import { integerField, nameField, optional, Rejection, textField } from '../../fields/field.ts'
import { countryField, languageField, readDomain } from '../../fields/places.ts'
import { ordinaryQuery, queryField } from '../../fields/query.ts'
import { withoutEffect } from '../../http/unread.ts'

/** A parsed value; absent if the field is accepted but has no effect. */
export interface Understood<Value> {
  readonly value?: Value | undefined
}

const daysIn = new Map([
  ['d', 1],
  ['w', 7],
  ['m', 31],
  ['y', 366],
])

/** `d5`, `w2`, `m6`, `y1`. More than a year has no effect. */
const dateRestrictField = textField((text): Understood<Freshness> | Rejection | undefined => {
  if (!text.trim()) return undefined
  const [, unit = '', count] = /^([dwmy])\[?(\d{1,4})\]?$/i.exec(text.trim()) ?? []
  const days = daysIn.get(unit.toLowerCase())
  return days === undefined
    ? new Rejection('value_error', 'Input should be a number of days, weeks, months or years, such as d5 or m6')
    : { value: recentDays(days * Number(count)) }
}, 'd5, w2, m6, y1')

/** `countryDE` or `lang_de`. Several of them, with operators, have no effect: a search has one. */
function restrictField(prefix: 'country' | 'lang_', value: RegExp, example: string) {
  const one = new RegExp(`^${prefix}(${value.source})$`, 'i')
  return textField((sent): Understood<string> | Rejection | undefined => {
    const text = sent.trim()
    if (!text) return undefined
    const [, found] = one.exec(text) ?? []
    const isSeveral = text.includes(prefix) && /[|.()-]/.test(text)
    if (found || isSeveral) return { value: found }
    return new Rejection('value_error', `Input should be a value such as ${example}`)
  }, example)
}

/** The vendor sorts by fields of the pages; here the range of dates acts, which it can hold as well. */
const sortField = textField((text): Understood<PublishedWithin> | Rejection | undefined => {
  if (!text.trim()) return undefined
  const [, from, to] = /^date:r:(\d{8})?:(\d{8})?$/.exec(text.trim()) ?? []
  const [publishedAfter, publishedBefore] = [from, to].map((day) => day && dayOf(day))
  if ((from && !publishedAfter) || (to && !publishedBefore)) {
    return new Rejection('value_error', 'Input should have existing dates, as date:r:20260301:20260331')
  }
  return { value: from || to ? { publishedAfter, publishedBefore } : undefined }
}, 'date:r:20260301:20260331')

function dayOf(digits: string): string | undefined {
  const [, year, month, day] = /^(\d{4})(\d{2})(\d{2})$/.exec(digits) ?? []
  return calendarDate(Number(year), Number(month), Number(day))
}

/** A site; a path behind it has no effect. */
const siteField = textField((text) => {
  if (!text.trim()) return undefined
  const domain = readDomain(text)
  const bare = text.trim().replace(/^https?:\/\//i, '')
  return typeof domain === 'string' ? { domain, hasPath: /\/[^/]/.test(bare) } : domain
}, 'domain name: example.com')

/** One word, since it becomes an operator of the query. */
const fileTypeField = textField((text) => {
  const [, extension] = /^\.?([a-z0-9]{1,10})$/i.exec(text.trim()) ?? []
  return extension?.toLowerCase() ?? new Rejection('value_error', 'Input should be a file extension such as pdf')
}, 'file extension: pdf')

const termsField = optional(z.string().max(2_000))

/** The parameters of a search. */
export const googleFields = {
  q: queryField(ordinaryQuery),
  num: optional(integerField(1, 10)),
  start: optional(integerField(1, 100)),
  dateRestrict: optional(dateRestrictField),
  sort: optional(sortField),
  siteSearch: optional(siteField),
  siteSearchFilter: optional(nameField(['i', 'e'])),
  lr: optional(restrictField('lang_', /[a-z]{2}(?:[-_][a-z]{2,4})?/, 'lang_de')),
  hl: optional(languageField),
  cr: optional(restrictField('country', /[a-z]{2}/, 'countryDE')),
  gl: optional(countryField),
  safe: optional(nameField(['active', 'off', 'high', 'medium'])),
  searchType: optional(z.string()),
  exactTerms: termsField,
  excludeTerms: termsField,
  orTerms: termsField,
  hq: termsField,
  fileType: optional(fileTypeField),
  alt: optional(nameField(['json'])),
  // The key, which the key check has read.
  key: optional(z.unknown()),
  cx: withoutEffect(optional(z.string())),
}
