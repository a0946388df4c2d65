import { withoutPiles } from '@csp/lib/text'
import { hostOf } from '@csp/lib/url'
import { folded, queryTerms } from '@csp/passages/query-terms'

// Texts and queries in the words of the index, whose tokenizer splits at everything but letters, marks and digits.

/** A text with its words as `phrasesOf` looks for them. */
export function indexed(text: string): string {
  return folded(withoutPiles(text).normalize('NFKC')).replace(spacelessRun, pairs).replace(arabicWord, arabicForms)
}

/** The host of an address, the most general part first, so that a domain is the beginning of its subdomains. */
export function indexedHost(host: string): string {
  return hostOf(host).split('.').toReversed().join(' ')
}

/** A word of a query for FTS5, quoted: nothing in it acts. */
interface Phrase {
  /** The word with any ending, where it is long enough; in scripts without spaces it stands anywhere. */
  readonly loose: string
  /** The same, where the word as it was asked for weighs more. */
  readonly weighted: string
}

/** The words of a query, those that passages are chosen by. */
export function phrasesOf(query: string): readonly Phrase[] {
  const { spellings = [], words = [] } = queryTerms(query) ?? {}
  return spellings
    .filter((spelling) => /[\p{L}\p{N}]/u.test(spelling))
    .map((spelling) => {
      const loose = phraseOf(spelling)
      const exact = words.filter((word) => loose.endsWith('*') && word.startsWith(spelling)).map(quoted)
      return { loose, weighted: exact.length > 0 ? `(${[...exact, loose].join(' OR ')})` : loose }
    })
}

/** Only pages of this domain and its subdomains. */
export function siteExpression(domain: string): string {
  return `site : ^ ${quoted(indexedHost(domain))}`
}

function phraseOf(word: string): string {
  const letters = [...word]
  if (word.search(spacelessRun) >= 0)
    return letters.length === 1 ? `${quoted(word)}*` : quoted(pairsOf(letters).join(' '))
  return letters.length < 4 ? quoted(word) : `${quoted(word)}*`
}

/** In the words that the index has of it: what is one word of a query may be several there, as `a.example` is. */
function quoted(text: string): string {
  return `"${(text.match(/[\p{L}\p{M}\p{N}\p{Co}]+/gu) ?? []).slice(0, maxPhrase).join(' ')}"`
}

/** A page that repeats a few letters has long phrases of them everywhere. */
const maxPhrase = 8

const spacelessRun =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}ー]+/gu

/** A run of letters as its overlapping pairs, so that each part of it is a phrase. */
function pairs(run: string): string {
  const letters = [...run]
  return ` ${[...pairsOf(letters), letters.at(-1)].join(' ')} `
}

function pairsOf(letters: readonly string[]): readonly string[] {
  return letters.slice(1).map((letter, place) => `${letters[place]}${letter}`)
}

const arabicWord = /\p{Script=Arabic}{3,}/gu

/** A word, and without the article and the letters that are written together with it. */
function arabicForms(word: string): string {
  const bare = word.replace(/^(?:[وفبك]?ال|لل)(?=..)/, '')
  const forms = [word, bare, bare === word ? word.replace(/^[وفبلك](?=...)/, '') : bare]
  return [...new Set(forms)].join(' ')
}
