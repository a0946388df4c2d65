import { firstPlace } from '@csp/lib/text'
import type { Quantity } from './quantities.ts'
import type { QuantityIndex } from './quantity-index.ts'
import type { Scan } from './scan.ts'

/** Sentences of a page, in the cleaned text, and how many of some figures they have. */
export interface ShownPlace {
  readonly start: number
  readonly end: number
  readonly figures: number
}

/** The places of the numbers of a page, so that the passage shown for a sentence is one with its figures. */
export class FigurePlaces {
  readonly #scan: Scan
  /** The sentences that have a word, ascending. */
  readonly #words: ReadonlyMap<string, readonly number[]>
  readonly #quantities: QuantityIndex

  constructor(scan: Scan, words: ReadonlyMap<string, readonly number[]>, quantities: QuantityIndex) {
    this.#scan = scan
    this.#words = words
    this.#quantities = quantities
  }

  /** The given place, or sentences of at most `maxLength` characters that have more of the figures. */
  show(
    figures: readonly Quantity[],
    terms: readonly string[],
    { start, end }: Pick<ShownPlace, 'start' | 'end'>,
    maxLength: number,
  ): ShownPlace {
    const wanted = figures.slice(0, maxFigures).map((figure) => this.#quantities.sentencesWith(figure, maxPlaces))
    const figuresIn = (from: number, to: number) =>
      wanted.filter((sentences) => sentences.some((at) => this.#startOf(at) >= from && this.#startOf(at + 1) <= to))
        .length
    const given = { start, end, figures: figuresIn(start, Math.min(end, start + maxLength)) }
    if (given.figures === wanted.filter((sentences) => sentences.length > 0).length) return given
    const others = [...new Set(wanted.flat())].map((at) => {
      const isShort = at > 0 && this.#startOf(at + 2) - this.#startOf(at - 1) <= maxLength
      const [first, last] = isShort ? [at - 1, at + 1] : [at, at]
      const place = { start: this.#startOf(first), end: this.#startOf(last + 1) }
      const words = terms.filter((term) => this.#hasWithin(term, first, last)).length
      return { ...place, figures: figuresIn(place.start, place.end), words }
    })
    const best = others.toSorted((a, b) => b.figures - a.figures || b.words - a.words)[0]
    return best && best.figures > given.figures ? best : given
  }

  #startOf(sentence: number): number {
    return this.#scan.sentenceStarts[sentence] ?? this.#scan.text.length
  }

  #hasWithin(term: string, first: number, last: number): boolean {
    const known = this.#words.get(term) ?? []
    const next = known[firstPlace(known, (sentence) => sentence >= first)]
    return next !== undefined && next <= last
  }
}

/** Figures of a sentence that are looked for, and sentences that are compared for each. */
const maxFigures = 8
const maxPlaces = 8
