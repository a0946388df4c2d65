import { languageOfWords, stemOf } from '@csp/language/words'
import { finished, type Pieces } from '@csp/lib/pieces'
import { firstPlace, plainLine, withoutMarkup } from '@csp/lib/text'
import { type CleanedText, cleanedText } from './cleaned.ts'
import { DateIndex, readingDates, type WrittenDate } from './dates.ts'
import type { CitedPage } from './evidence.ts'
import type { Figure } from './figure.ts'
import { FigurePlaces, type ShownPlace } from './figure-places.ts'
import { PageNames } from './page-names.ts'
import type { Quantity } from './quantities.ts'
import { QuantityIndex } from './quantity-index.ts'
import { type Scan, scanning } from './scan.ts'

/** Where most words of a sentence stand together. */
interface Span {
  /** The places of the terms that it has. */
  readonly has: readonly number[]
  /** How many of them one sentence has. */
  readonly inSentence: number
  /** In the cleaned text. */
  readonly start: number
  readonly end: number
}

interface ReadPage {
  /** The title and the text. */
  readonly given: string
  readonly cleaned: CleanedText
  readonly found: Scan
  readonly titleLength: number
  readonly isWhole: boolean
  readonly isExcerpt: boolean
  readonly isPaywalled: boolean
  readonly language: string | undefined
  readonly publishedAt: string | undefined
  readonly url: string | undefined
}

/** The dates, numbers and names of a page. */
interface PageFigures {
  readonly names: PageNames
  readonly dates: DateIndex
  readonly quantities: QuantityIndex
}

/** The words, numbers and dates of a page, and where they are. */
export class PageIndex {
  readonly #given: string
  readonly #cleaned: CleanedText
  readonly #scan: Scan
  readonly #titleLength: number
  /** The sentences that have a word, ascending. */
  readonly #sentences = new Map<string, number[]>()
  readonly #publishedAt: string | undefined
  readonly #url: string | undefined
  #figures: PageFigures | undefined
  #figurePlaces: FigurePlaces | undefined
  readonly language: string | undefined
  /** Whether all of it was read. */
  readonly isWhole: boolean
  /** Whether it is what somebody quotes of the page. */
  readonly isExcerpt: boolean
  /** Whether its site has kept the rest for subscribers. */
  readonly isPaywalled: boolean

  /**
   * Reads the words of a page in pieces, between which others may work. `maxLength`: `maxPageLength` of `check.ts`. The
   * result can be given to a check in place of the page.
   */
  static *reading(
    { text, title, publishedAt, url, isExcerpt = false, isPaywalled = false }: CitedPage,
    maxLength: number,
    isOver?: () => boolean,
  ): Pieces<PageIndex> {
    const head = title ? `${title}\n` : ''
    const given = head + text.slice(0, maxLength)
    const cleaned = cleanedText(given)
    const found = yield* scanning(cleaned.text, isOver)
    const isWhole = found.isWhole && text.length <= maxLength
    const language = languageOfWords(found.words)
    const titleLength = head.length
    const index = new PageIndex({
      ...{ given, cleaned, found, titleLength, isWhole, isExcerpt, isPaywalled, language, publishedAt, url },
    })
    for (const at of found.stems.keys()) {
      index.#addWord(at)
      if ((at + 1) % pieceLength === 0) yield
    }
    return index
  }

  private constructor({ given, cleaned, found, titleLength, isWhole, language, publishedAt, ...rest }: ReadPage) {
    this.#given = given
    this.#cleaned = cleaned
    this.#scan = found
    this.#titleLength = titleLength
    this.isWhole = isWhole
    this.isExcerpt = rest.isExcerpt
    this.isPaywalled = rest.isPaywalled
    this.language = language
    this.#publishedAt = publishedAt
    this.#url = rest.url
  }

  /** Reads the dates, numbers and names, of a page that is cited: they take almost as long as the words, and nobody else asks. */
  *readingFigures(): Pieces<PageFigures> {
    if (this.#figures) return this.#figures
    const { figures } = this.#scan
    const dates = new DateIndex()
    const years: number[] = []
    // The day of a date is no number of anything else.
    const days = new Set<Figure>()
    const written = yield* readingDates(this.#scan, this.language)
    for (const [at, date] of [...written, ...publication(this.#publishedAt)].entries()) {
      dates.add(date)
      if (date.year !== undefined) years.push(date.year)
      for (const figure of figuresWithin(figures, date.start, date.end)) days.add(figure)
      if (at % datesAtOnce === 0) yield
    }
    const quantities = yield* QuantityIndex.reading(this.#scan, days, years, this.language)
    const names = yield* PageNames.reading(this.#scan, hostOf(this.#url))
    this.#figures = { dates, quantities, names }
    return this.#figures
  }

  /** The dates in the text, and the date of publication. */
  get dates(): DateIndex {
    return finished(this.readingFigures()).dates
  }

  /** The numbers in the text, with their units. */
  get quantities(): QuantityIndex {
    return finished(this.readingFigures()).quantities
  }

  /** The words of the text and the address as names. */
  get names(): PageNames {
    return finished(this.readingFigures()).names
  }

  #addWord(at: number): void {
    const { stems, words, sentences } = this.#scan
    const sentence = sentences[at] ?? 0
    this.#add(stems[at] ?? '', sentence)
    if (this.#isHyphenated(at)) this.#add(stemOf(`${words[at - 1]}${words[at]}`), sentence)
  }

  #add(stem: string, sentence: number): void {
    const known = this.#sentences.get(stem)
    if (!known) this.#sentences.set(stem, [sentence])
    else if (known[known.length - 1] !== sentence) known.push(sentence)
  }

  /** Whether a word and the one before are one: `e-mail`, or a word that is cut at the end of a line. */
  #isHyphenated(at: number): boolean {
    const { text, starts, ends } = this.#scan
    const before = ends[at - 1] ?? -1
    if (text.charCodeAt(before) !== 0x2d) return false
    const start = starts[at] ?? 0
    return start === before + 1 || (start === before + 2 && text[before + 1] === '\n')
  }

  /** The folded words of the title and the text, in order. */
  get words(): readonly string[] {
    return this.#scan.words
  }

  /** True if a word of the page has this stem. */
  has(stem: string): boolean {
    return this.#sentences.has(stem)
  }

  /** How much there is to compare for some terms and rows of words. */
  work(terms: readonly string[], rows: number): number {
    return terms.reduce((sum, term) => sum + (this.#sentences.get(term)?.length ?? 0), rows * this.words.length)
  }

  /** The neighbouring sentences that have the most of some terms. */
  bestSpan(terms: readonly string[], isOver: () => boolean): Span {
    // Sentences in order, each with the places of its terms.
    const hits = Float64Array.from(
      terms.flatMap((term, place) => (this.#sentences.get(term) ?? []).map((at) => at * terms.length + place)),
    ).sort()
    const sentenceOf = (hit = 0) => Math.floor(hit / terms.length)
    const placeOf = (hit: number) => hit % terms.length
    const counts = new Map<number, number>()
    let best = { size: 0, from: 0, to: -1 }
    let [from, last, inLast, inSentence] = [0, -1, 0, 0]
    for (const [to, hit] of hits.entries()) {
      if ((to & 255) === 255 && isOver()) break
      const [sentence, place] = [sentenceOf(hit), placeOf(hit)]
      for (; sentenceOf(hits[from]) <= sentence - maxSentences; from++) {
        const left = placeOf(hits[from] ?? 0)
        const count = (counts.get(left) ?? 1) - 1
        if (count > 0) counts.set(left, count)
        else counts.delete(left)
      }
      counts.set(place, (counts.get(place) ?? 0) + 1)
      inLast = sentence === last ? inLast + 1 : 1
      last = sentence
      inSentence = Math.max(inSentence, inLast)
      if (counts.size > best.size) best = { size: counts.size, from, to }
    }
    const taken = hits.slice(best.from, best.to + 1)
    const starts = this.#scan.sentenceStarts
    return {
      has: [...new Set([...taken].map(placeOf))],
      inSentence,
      start: starts[sentenceOf(taken[0])] ?? 0,
      end: starts[sentenceOf(taken.at(-1)) + 1] ?? this.#scan.text.length,
    }
  }

  /** The sentences that have the most of some terms, best first, with how many. Neighbours of a heading are none. */
  likest(terms: readonly string[], most: number): readonly { readonly text: string; readonly shared: number }[] {
    const counts = new Map<number, number>()
    for (const term of terms)
      for (const at of this.#sentences.get(term) ?? []) counts.set(at, (counts.get(at) ?? 0) + 1)
    const { text, sentenceStarts } = this.#scan
    const lengthOf = (at: number) => (sentenceStarts[at + 1] ?? text.length) - (sentenceStarts[at] ?? 0)
    const highest = Math.max(0, ...counts.values())
    return [...counts]
      .filter(([, shared]) => shared === highest)
      .toSorted(([one], [other]) => lengthOf(one) - lengthOf(other))
      .slice(0, most)
      .map(([at, shared]) => {
        const start = sentenceStarts[at] ?? 0
        return { shared, text: text.slice(start, Math.min(start + maxSentenceLength, start + lengthOf(at))) }
      })
  }

  /** The sentences to show for a sentence: those of a span, or others that have more of its figures. */
  placeToShow(figures: readonly Quantity[], terms: readonly string[], span: Pick<Span, 'start' | 'end'>): ShownPlace {
    this.#figurePlaces ??= new FigurePlaces(this.#scan, this.#sentences, this.quantities)
    return this.#figurePlaces.show(figures, terms, span, maxPassage)
  }

  /** A part of the cleaned text as the page has it, without markup, and its place in the text of the page. */
  passage(start: number, end: number): { readonly text: string; readonly place: number } {
    const from = this.#cleaned.place(start)
    const text = this.#given.slice(from, this.#cleaned.place(Math.min(end, start + maxPassage)))
    return { text: plainLine(withoutMarkup(text)), place: Math.max(0, from - this.#titleLength) }
  }
}

/** In words: about a millisecond. */
const pieceLength = 8192
const datesAtOnce = 500
/** In one span. */
const maxSentences = 5
const maxPassage = 600
const maxSentenceLength = 1000

function hostOf(url: string | undefined): string {
  return /^https?:\/\/([^/?#\s]{1,255})/i.exec(url ?? '')?.[1] ?? ''
}

/** The numbers of a place in the text; they are in its order. */
function figuresWithin(figures: readonly Figure[], start: number, end: number): readonly Figure[] {
  const found: Figure[] = []
  let place = firstPlace(figures, (figure) => figure.start >= start)
  for (let figure = figures[place]; figure && figure.start < end; figure = figures[++place]) found.push(figure)
  return found
}

function publication(date: string | undefined): readonly WrittenDate[] {
  const [year, month = 0, day] = date?.match(/\d+/g)?.map(Number) ?? []
  return year === undefined ? [] : [{ year, month, day, start: 0, end: 0 }]
}
