import { parseUrl } from '@csp/lib/url'
import { z } from 'zod'
import { optional, Rejection, textField } from './field.ts'
import { readLocale } from './locale.ts'
import { codeOf } from './names.ts'

/** A country by its two letters, in any case, or that of a locale; read as ISO 3166-1 alpha-2, upper case. */
export const countryField = textField(
  (text) =>
    readLocale(text, 'country')?.country ??
    new Rejection('value_error', 'Input should be a country code of two letters'),
  'country code of two letters: DE',
)

/** The same, or a country by its English name. */
export const countryNameField = textField(
  (text) =>
    readLocale(text, 'country')?.country ??
    codeOf(text) ??
    new Rejection('value_error', 'Input should be a country by its English name, such as united states'),
  'country by its English name or its code: germany, DE',
)

/** A language such as `en` or `pt-br`, or a locale in the order of any vendor; read as lower case. */
export const languageField = textField((text) => {
  const { language, country } = readLocale(text, 'language') ?? {}
  if (language !== undefined) return country === undefined ? language : `${language}-${country.toLowerCase()}`
  return /^[a-z]{2,3}(-[a-z0-9]{2,8}){0,8}$/i.test(text.trim())
    ? text.trim().toLowerCase()
    : new Rejection('value_error', 'Input should be a language code such as en or pt-br')
}, 'language code: en, pt-br')

/** A host name, also when a whole URL or a pattern `*://*.example.com/*` was given; read as lower case, international names in Punycode. */
export const domainField = textField(readDomain, 'domain name: example.com')

/** The host name in a text that may be a URL, or what is wrong with it. */
export function readDomain(text: string): string | Rejection {
  const bare = text
    .trim()
    .replace(/^(?:[a-z][a-z0-9+.-]*|\*):\/\//i, '')
    .replace(/^\*?\./, '')
  // The dot at the end of a whole name makes no other site of it.
  const hostname = parseUrl(`http://${bare}`)?.hostname.replace(/\.$/, '') ?? ''
  return /^[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?)*$/.test(hostname)
    ? hostname
    : new Rejection('value_error', 'Input should be a domain name such as example.com')
}

/** An optional list of domains. Many clients send an empty list, which means absent. */
export function domainListField(maximum: number) {
  return optional(z.array(domainField).max(maximum)).transform((list) => (list?.length ? list : undefined))
}
