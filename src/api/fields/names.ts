import { countryCode, countryName } from './locale.ts'

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
  ['usa', 'US'],
])

let countries: ReadonlyMap<string, string> | undefined

/** The code of a country by its English name. */
export function codeOf(text: string): string | undefined {
  countries ??= namesOfIntl()
  const name = plain(text)
  return countries.get(name) ?? otherNames.get(name)
}

/** Created lazily: it takes some milliseconds, and most servers never need it. */
function namesOfIntl(): ReadonlyMap<string, string> {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  const codes = letters.flatMap((first) => letters.map((second) => first + second))
  const known = codes.filter((code) => countryCode(code) === code)
  return new Map(known.map((code) => [plain(countryName(code) ?? code), code]))
}

let languages: ReadonlyMap<string, string> | undefined

/** The code of a language by its English name. */
export function languageCodeOf(text: string): string | undefined {
  languages ??= languagesOfIntl()
  return languages.get(plain(text))
}

function languagesOfIntl(): ReadonlyMap<string, string> {
  const letters = [...'abcdefghijklmnopqrstuvwxyz']
  const codes = [...letters.flatMap((first) => letters.map((second) => first + second)), 'zh-hans', 'zh-hant', 'pt-br']
  const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' })
  return new Map(
    codes.flatMap((code) => [[plain(names.of(code) ?? ''), code] as const]).filter(([name]) => name !== ''),
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
