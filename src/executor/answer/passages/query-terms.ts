/** The words of a query, and where they are in a text. */
export interface QueryTerms {
  readonly count: number
  /** Finds the words in a text: the index of each, and where it begins. */
  find(text: string): Generator<{ readonly term: number; readonly index: number }, void, undefined>
  /** Whether a text has any of them. */
  isIn(text: string): boolean
  /** As a page may write them, in lower case. */
  readonly spellings: readonly string[]
}

/** Reads a query in any language. `undefined` when it has no words. */
export function queryTerms(query: string): QueryTerms | undefined {
  const words = wordsOf(query)
  if (words.length === 0) return undefined
  // Longer words first: of `javascript` and `java` the longer one is meant where both fit.
  const spellings = words.map(stem).toSorted((a, b) => b.length - a.length)
  const source = spellings.map((word) => `(${patternOf(word)})`).join('|')
  const all = new RegExp(source, 'giu')
  const any = new RegExp(source, 'iu')
  return {
    count: spellings.length,
    spellings,
    isIn: (text) => any.test(text),
    *find(text) {
      for (const match of text.matchAll(all)) {
        let term = 0
        while (term < spellings.length && match[term + 1] === undefined) term++
        yield { term, index: match.index }
      }
    },
  }
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' })
const maxQueryLength = 1000
const maxWords = 24

function wordsOf(query: string): readonly string[] {
  // A site or an excluded word is not what the page is about.
  const text = query.slice(0, maxQueryLength).normalize('NFKC').toLowerCase()
  const plain = text.replace(/(?<!\S)-\S+|\b(?:site|inurl|intitle|filetype|lang|after|before):\S*/g, ' ')
  const words = [...segmenter.segment(plain)].filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment)
  const distinct = [...new Set(words)]
  const telling = distinct.filter((word) => !commonWords.has(word) && !(word.length === 1 && /\p{L}/u.test(word)))
  return (telling.length > 0 ? telling : distinct).slice(0, maxWords)
}

/** Frequent words weigh little by themselves; these would still count on a short page. */
const commonWords = new Set(
  `a an and are as at be by can did do does for from had has have how i in is it its me my of on or should so than that the
  their there these they this to vs was we were what when where which who why will with would you your
  der die das ein eine und ist wie was le la les un une des et est que el los las es y en de`.split(/\s+/),
)

/** Without the ending of a plural. */
function stem(word: string): string {
  return /^[a-z]{4,}[^s\W]s$/.test(word) ? word.slice(0, -1) : word
}

/** Scripts without spaces have no edges of words. Elsewhere a word may have an ending. */
function patternOf(word: string): string {
  const source = word.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
  if (spaceless.test(word)) return source
  const ending = word.length >= 5 ? 4 : word.length >= 3 ? 1 : 0
  const letters = ending > 0 ? `[\\p{L}\\p{M}]{0,${ending}}` : ''
  return `(?<![\\p{L}\\p{N}])${source}${letters}(?![\\p{L}\\p{N}])`
}

const spaceless = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}]/u
