import { Rejection, textField } from './field.ts'

/** A country by its English name or its two letters, in any case; read as ISO 3166-1 alpha-2, upper case. */
export const countryNameField = textField(
  (text) =>
    codeOf(text) ??
    new Rejection('value_error', 'Input should be a country by its English name, such as united states'),
)

/** Names that are in use beside those of `Intl`. */
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

/** Codes that `Intl` has a name for as well: withdrawn ones, and those of no country. */
const noCountries = new Set('AN BU CS DD DY EU EZ FX HV NH QO RH SU TP UK UN VD XA XB YD YU ZR ZZ'.split(' '))

let names: ReadonlyMap<string, string> | undefined

function codeOf(text: string): string | undefined {
  names ??= namesOfIntl()
  const name = plain(text)
  return names.get(name) ?? otherNames.get(name)
}

/** Made when the first name comes: it takes some milliseconds, and most servers are never sent one. */
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
    .replace(/\p{M}|\s*\(.*\)/gu, '')
    .replaceAll('’', "'")
    .replaceAll('&', 'and')
    .trim()
    .toLowerCase()
}
