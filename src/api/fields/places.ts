import { z } from 'zod'
import { parseUrl } from '../../lib/url.ts'
import { optional, Rejection, textField } from './field.ts'

/** An ISO 3166-1 alpha-2 country in any case; read as upper case. */
export const countryField = textField(
  (text) =>
    /^[a-z]{2}$/i.test(text.trim())
      ? text.trim().toUpperCase()
      : new Rejection('value_error', 'Input should be a country code of two letters'),
  'country code of two letters: DE',
)

/** A language such as `en` or `pt-br`; read as lower case. */
export const languageField = textField(
  (text) =>
    /^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i.test(text.trim())
      ? text.trim().toLowerCase()
      : new Rejection('value_error', 'Input should be a language code such as en or pt-br'),
  'language code: en, pt-br',
)

/** A host name, also when a whole URL or a pattern `*://*.example.com/*` was given; read as lower case, international names in Punycode. */
export const domainField = textField(readDomain, 'domain name: example.com')

/** The host name in a text that may be a URL, or what is wrong with it. */
export function readDomain(text: string): string | Rejection {
  const bare = text
    .trim()
    .replace(/^(?:https?|\*):\/\//i, '')
    .replace(/^\*?\./, '')
  const hostname = parseUrl(`http://${bare}`)?.hostname ?? ''
  return /^[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?)*$/.test(hostname)
    ? hostname
    : new Rejection('value_error', 'Input should be a domain name such as example.com')
}

/** An optional list of domains. Many clients send an empty list, which means absent. */
export function domainListField(maximum: number) {
  return optional(z.array(domainField).max(maximum)).transform((list) => (list?.length ? list : undefined))
}

/** A country by its English name or its two letters, in any case; read as ISO 3166-1 alpha-2, upper case. */
export const countryNameField = textField(
  (text) =>
    codeOf(text) ??
    new Rejection('value_error', 'Input should be a country by its English name, such as united states'),
  'country by its English name or its code: germany, DE',
)

/** Names in use besides those of `Intl`. */
const otherNames = new Map([
  ['bosnia', 'BA'],
  ['burma', 'MM'],
  ['congo', 'CG'],
  ['czech republic', 'CZ'],
  ['democratic republic of the congo', 'CD'],
  ['great britain', 'GB'],
  ['hong kong', 'HK'],
  ['ivory coast', 'CI'],
  ['macau', 'MO'],
  ['palestine', 'PS'],
  ['swaziland', 'SZ'],
  ['turkey', 'TR'],
  ['uk', 'GB'],
  ['usa', 'US'],
])

/** Codes that `Intl` has a name for but that are withdrawn, or not countries. */
const noCountries = new Set('AN BU CS DD DY EU EZ FX HV NH QO RH SU TP UK UN VD XA XB YD YU ZR ZZ'.split(' '))

let names: ReadonlyMap<string, string> | undefined

function codeOf(text: string): string | undefined {
  names ??= namesOfIntl()
  const name = plain(text)
  return names.get(name) ?? otherNames.get(name)
}

/** Created lazily: it takes some milliseconds, and most servers never need it. */
function namesOfIntl(): ReadonlyMap<string, string> {
  const display = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  const codes = letters.flatMap((first) => letters.map((second) => first + second))
  return new Map(
    codes.flatMap((code) => {
      const name = display.of(code)
      return name && !noCountries.has(code) ? [[plain(name), code] as const, [code.toLowerCase(), code] as const] : []
    }),
  )
}

/** `Côte d’Ivoire`, `Bosnia & Herzegovina` and `Myanmar (Burma)` as they are typed. */
function plain(name: string): string {
  return name
    .normalize('NFD')
    .replace(/\p{M}|\([^()]*\)/gu, '')
    .replaceAll('’', "'")
    .replaceAll('&', 'and')
    .trim()
    .toLowerCase()
}
