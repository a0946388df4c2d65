export interface Locale {
  /** In lower case: `en`, `zh-hans`, `es-419`. */
  readonly language?: string | undefined
  /** ISO 3166-1 alpha-2, in upper case. */
  readonly country?: string | undefined
}

type Part = keyof Locale

/**
 * A locale as it is written anywhere: `en-US`, `en_US.UTF-8`, `zh-Hans-CN`, DuckDuckGo's `us-en` and `wt-wt`. Case says
 * which half is the country; without, which order is in use. Where both are, and of one word, `first` is what it is.
 */
export function readLocale(text: string, first: Part): Locale | undefined {
  const [, one, script, other] = shape.exec(text.trim()) ?? []
  if (one === undefined) return undefined
  if (script !== undefined || /^\d/.test(other ?? '')) {
    const language = `${one}-${script ?? other}`.toLowerCase()
    const country = script !== undefined && other !== undefined ? countryCode(other) : undefined
    return { language, country }
  }
  return other === undefined ? readWord(one, first) : readPair(one, other, first)
}

const shape = /^([a-z]{2,3})(?:[-_]([a-z]{4}))?(?:[-_]([a-z]{2,3}|\d{3}))?(?:[-_.@][\w.@-]{1,40})?$/i

function readWord(word: string, first: Part): Locale | undefined {
  const country = countryCode(word)
  if (first === 'country' && country !== undefined) return { country }
  const language = languageCode(word) ?? (country && new Intl.Locale(`und-${country}`).maximize().language)
  return language === undefined ? undefined : { language }
}

function readPair(one: string, other: string, first: Part): Locale | undefined {
  if (nowhere.has(one.toLowerCase())) return { language: languageCode(other) }
  const forward = { language: one, country: other }
  const backward = { language: other, country: one }
  if (isUpper(one) !== isUpper(other)) {
    const { language, country } = isUpper(other) ? forward : backward
    const code = countryCode(country)
    if (code !== undefined) return { language: languageCode(language) ?? language.toLowerCase(), country: code }
  }
  const orders = (first === 'language' ? [forward, backward] : [backward, forward]).flatMap((locale) => {
    const language = languageCode(locale.language)
    const country = countryCode(locale.country)
    return language && country ? [{ language, country }] : []
  })
  return orders.find(isInUse) ?? orders[0]
}

/** Whether anybody speaks that language there, as far as `Intl` knows. */
function isInUse({ language, country }: Required<Locale>): boolean {
  const tag = `${language}-${country}`
  return new Intl.NumberFormat(tag).resolvedOptions().locale === tag
}

function isUpper(text: string): boolean {
  return text === text.toUpperCase()
}

function languageCode(text: string): string | undefined {
  const code = text.toLowerCase()
  languages ??= new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })
  return otherLanguages.get(code) ?? (languages.of(code) === undefined ? undefined : code)
}

/** The country of two letters, in any case, if there is one. */
export function countryCode(text: string): string | undefined {
  const code = text.toUpperCase()
  const known = otherCountries.get(code)
  if (known !== undefined || !/^[A-Z]{2}$/.test(code) || noCountries.has(code)) return known
  return countryName(code) === undefined ? undefined : code
}

/** Its English name, of two capital letters. */
export function countryName(code: string): string | undefined {
  countries ??= new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
  return countries.of(code)
}

// Created lazily: most servers need neither.
let languages: Intl.DisplayNames | undefined
let countries: Intl.DisplayNames | undefined

/** What others write for a language: DuckDuckGo and Brave. */
const otherLanguages = new Map([
  ['jp', 'ja'],
  ['kr', 'ko'],
  ['szh', 'zh-hans'],
  ['tzh', 'zh-hant'],
])

/** What Google and DuckDuckGo write for a country. */
const otherCountries = new Map([
  ['CT', 'ES'],
  ['UE', 'US'],
  ['UK', 'GB'],
])

/** DuckDuckGo's places that are no country: the world, Arabia, Latin America. */
const nowhere = new Set(['wt', 'xa', 'xl'])

/** Codes that `Intl` has a name for but that are withdrawn, or not countries. */
const noCountries = new Set('AN BU CS DD DY EU EZ FX HV NH QO RH SU TP UN VD XA XB YD YU ZR ZZ'.split(' '))
