import { commonWords, generalWords, relatedWords } from '@csp/language/word-lists'
import { unspaced } from '@csp/language/words'

/** The words of a query, and where they are in a text. */
export interface QueryTerms {
  readonly count: number
  /** Whether the answer has a number in it: a date, an amount. */
  readonly asksForNumber: boolean
  /** Finds the words in a text. */
  find(text: string): Generator<FoundTerm, void, undefined>
  /** Whether a text has any of them. */
  isIn(text: string): boolean
  /** As they stand in the query, in lower case. */
  readonly words: readonly string[]
  /** As a page may write them, in lower case. */
  readonly spellings: readonly string[]
  /** The spellings that say little: they stand anywhere. */
  readonly general: ReadonlySet<string>
}

interface FoundTerm {
  /** The index of the word in `spellings`. */
  readonly term: number
  /** Its offset in the text, in UTF-16 units. */
  readonly index: number
  /** Its weight: 1 as in the query, less with another ending, and least for a word that may stand for it. */
  readonly share: number
}

/** Reads a query in any language. `undefined` when it has no words. */
export function queryTerms(query: string): QueryTerms | undefined {
  const words = wordsOf(query)
  if (words.length === 0) return undefined
  const asked = new Set(words)
  // Longer words first: of `javascript` and `java` the longer one is meant where both fit.
  const spellings = [...new Set(words.map(stem))].toSorted((a, b) => b.length - a.length)
  const source = spellings
    .map((spelling) => {
      const related = words.filter((word) => stem(word) === spelling).flatMap(relatedStems)
      const others = related.filter((other) => !spellings.includes(other))
      return `(${[spelling, ...new Set(others)].map(patternOf).join('|')})`
    })
    .join('|')
  const all = new RegExp(source, 'giu')
  const any = new RegExp(source, 'iu')
  return {
    count: spellings.length,
    asksForNumber: numberWords.test(query),
    words,
    spellings,
    general: new Set(words.filter((word) => generalWords.has(word)).map(stem)),
    isIn: (text) => any.test(folded(text)),
    *find(text) {
      for (const match of folded(text).matchAll(all)) {
        let term = 0
        while (term < spellings.length && match[term + 1] === undefined) term++
        const found = match[0].toLowerCase()
        const otherShare = found.includes(spellings[term] ?? '') ? inflectedShare : relatedShare
        yield { term, index: match.index, share: asked.has(found) ? 1 : otherShare }
      }
    },
  }
}

/** Another ending may make it another word. */
const inflectedShare = 0.6
const relatedShare = 0.4

/** Arabic letters without the marks that few people type, one for one. */
export function folded(text: string): string {
  return accented.test(text) ? text.replace(allAccented, (letter) => letter.normalize('NFD').charAt(0)) : text
}

const accented = /[آأإؤئ]/u
const allAccented = new RegExp(accented, 'giu')

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' })
const maxQueryLength = 1000
const maxWords = 24

function wordsOf(query: string): readonly string[] {
  // A site or an excluded word is not what the page is about.
  const text = folded(query.slice(0, maxQueryLength).normalize('NFKC').toLowerCase())
  const plain = text.replace(/(?<!\S)-\S+|\b(?:site|inurl|intitle|filetype|lang|after|before):\S*/g, ' ')
  // A word and its possessive are one.
  const words = [...segmenter.segment(plain)]
    .filter(({ isWordLike }) => isWordLike)
    .map(({ segment }) => segment.replace(/['’]s?$/, ''))
  const distinct = [...new Set(words)]
  const telling = distinct.filter((word) => !commonWords.has(word) && !(word.length === 1 && /\p{L}/u.test(word)))
  return (telling.length > 0 ? telling : distinct).slice(0, maxWords)
}

/**
 * A word without what inflection adds to it: articles and endings in Arabic, elsewhere the last letters, the more the
 * longer it is. On public questions in nine languages this finds as much as the rules of each.
 */
function stem(word: string): string {
  if (unspaced.test(word)) return word
  if (arabic.test(word))
    return word.replace(/^(?:[وفبك]?ال|لل)(?=..)/, '').replace(/(?<=...)(?:ات|ون|ين|ان|ها|هم|ية|[ياةه])$/, '')
  const letters = [...word]
  const { length } = letters
  return letters.slice(0, Math.max(4, length - (length >= 9 ? 3 : length >= 7 ? 2 : 1))).join('')
}

const arabic = /\p{Script=Arabic}/u

/** The stems of the words that may stand for a word. */
function relatedStems(word: string): readonly string[] {
  return groups.flatMap((stems) => {
    const own = stems.find((other) => word.startsWith(other) && word.length - other.length <= maxEnding(other))
    return own === undefined ? [] : stems.filter((other) => other !== own)
  })
}

/** When, how many, which year, what percentage: in the languages that most queries have. */
const numberWords = new RegExp(
  String.raw`(?<![\p{L}\p{M}])(?:${[
    'when|how (?:many|much|long|old|far|big|tall|high|large|often)|years?|dates?|percent(?:age)?|number|price|cost|population',
    'wann|wie ?viele?|wie (?:lange|alt|hoch|groß)|jahre?|prozent|cuándo|cuánt[oa]s?|años?|quand|combien|année|quando',
    'wanneer|hoe(?:veel| (?:lang|oud|hoog|groot|ver))|ja(?:ar|ren)|kiedy|ilu|procent\\p{L}{0,2}',
    'quant[oaie]|când|câ[tț][ie]?|anul|πότε|πόσ\\p{L}{1,3}|έτος|когда|скольк\\p{L}{1,2}|год[ау]?|процент\\p{L}{0,3}',
    'ne zaman|kaç|yıl\\p{L}{0,3}|متى|كم|عام|سنة|कब|कितन\\p{L}?\\p{M}?|वर्ष|साल|khi nào|bao nhiêu|năm',
  ].join('|')})(?![\p{L}\p{M}])|年|何[人月日]|いつ|いくつ|いくら|多少|几|幾|เมื่อ(?:ไหร่|ไร|ใด)|กี่|เท่าไ`,
  'iu',
)

/** Scripts without spaces have no edges of words. Elsewhere a word may have an ending. */
function patternOf(word: string): string {
  const source = word.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
  if (unspaced.test(word)) return source
  const ending = maxEnding(word)
  const letters = ending > 0 ? `[\\p{L}\\p{M}]{0,${ending}}` : ''
  const start = arabic.test(word) ? '(?:[وفبك]?ال|لل|[وفبلك])?' : ''
  return `(?<![\\p{L}\\p{N}])${start}${source}${letters}(?![\\p{L}\\p{N}])`
}

function maxEnding({ length }: string): number {
  return length >= 5 ? 5 : length >= 4 ? 4 : length >= 3 ? 2 : 0
}

const groups: readonly (readonly string[])[] = relatedWords.map((words) => words.map(stem))
