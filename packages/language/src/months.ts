import { foldedWord } from './words.ts'

/**
 * The number (1 to 12) of a month by its name. Tries `language` (BCP 47) first, then common languages that are written in
 * the script of the name.
 */
export function monthNumber(name: string, language = ''): number | undefined {
  const written = asCompared(name)
  const others = scripts.find(([script]) => script.test(written))?.[1] ?? latin
  for (const known of language ? [language, ...others] : others) {
    if (known !== language && (wordsOfOthers.has(written) || (known === 'tr' && language !== ''))) continue
    const month = namesIn(known).get(written) ?? inflected(written, known, known === language || others !== latin)
    if (month !== undefined) return month
  }
  return undefined
}

/** Capital letters lose the accents of Greek, and the dot of Turkish; other scripts have signs that tell months apart. */
function asCompared(name: string): string {
  const written = name.replace(/\.$/, '')
  return /[\p{Script=Latin}\p{Script=Greek}]/u.test(written) ? foldedWord(written) : written.toLowerCase()
}

/** Short names of months that are words of other languages: "took out 5 loans", "set 5 records". */
const wordsOfOthers = new Set(['out', 'set', 'ago', 'tem', 'oca'])
const latin = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'tr']
const scripts: readonly (readonly [RegExp, readonly string[]])[] = [
  [/\p{Script=Cyrillic}/u, ['ru', 'uk']],
  [/\p{Script=Greek}/u, ['el']],
  [/\p{Script=Arabic}/u, ['ar', 'fa']],
  [/\p{Script=Hebrew}/u, ['he']],
  [/\p{Script=Devanagari}/u, ['hi']],
  [/\p{Script=Bengali}/u, ['bn']],
]

/** A month with the ending of another case, such as `марте` or `marcu`: Intl has two of them. */
function inflected(name: string, language: string, isSure: boolean): number | undefined {
  if (!isSure || !languagesWithCases.has(language)) return undefined
  for (const [known, month] of namesIn(language)) {
    const stem = known.replace(lastLetter, '')
    if (known.length >= 4 && name.startsWith(stem) && name.length <= known.length + 2) return month
  }
  return undefined
}

/** What another ending takes the place of: a vowel, or any letter of a longer name. Of `март` nothing, since `марок` are money. */
const lastLetter = /(?:[aeiouyаеиоуыэюяьй]|(?<=.{4}).)$/u
const languagesWithCases = new Set(['ru', 'uk', 'be', 'sr', 'pl', 'cs', 'sk', 'hr', 'sl', 'fi', 'et', 'hu', 'lt', 'lv'])

const known = new Map<string, ReadonlyMap<string, number>>()

/** By itself and beside a day, long and short: languages with cases have several names for a month. */
function namesIn(language: string): ReadonlyMap<string, number> {
  const kept = known.get(language)
  if (kept) return kept
  const names = new Map<string, number>()
  for (const style of styles) {
    const format = new Intl.DateTimeFormat(language, { ...style, timeZone: 'UTC', calendar: 'gregory' })
    for (let month = 0; month < 12; month++) {
      const part = format.formatToParts(Date.UTC(2001, month, 9)).find(({ type }) => type === 'month')
      names.set(asCompared(part?.value ?? ''), month + 1)
    }
  }
  names.set('sept', 9).set('мае', 5)
  // Languages come from pages, which may name any.
  if (known.size < maxKnown) known.set(language, names)
  return names
}

const maxKnown = 100
const styles = [
  { month: 'long' },
  { month: 'short' },
  { month: 'long', day: 'numeric' },
  { month: 'short', day: 'numeric' },
] as const
