import { sentenceEnds } from '@csp/language/sentence-ends'
/** Where a statement stands in a page, as the vendor's clients read it. */
export type PageCitation = {
  readonly type: 'char_location'
  /** The words of the page between the two places. */
  readonly cited_text: string
  /** Counts the documents of the conversation, from 0. */
  readonly document_index: number
  readonly document_title: string | null
  readonly start_char_index: number
  readonly end_char_index: number
  readonly file_id: null
}

export interface QuotablePage {
  readonly title: string | null
  /** As the client gets it. */
  readonly text: string
}

/**
 * Finds the place of a page that says what a sentence says. A citation is always words of the page itself; where no
 * place has most of the sentence's words and all of its numbers, there is none.
 */
export class PageCitations {
  readonly #places: readonly Place[]

  /** `before`: how many documents the conversation has before these pages. */
  constructor(pages: readonly QuotablePage[], before: number) {
    this.#places = pages.flatMap((page, index) => [...placesIn(page, before + index)]).slice(0, maxPlaces)
  }

  find(sentence: string): PageCitation | undefined {
    const words = wordsOf(sentence)
    if (words.size < minWords) return undefined
    const numbers = [...words].filter((word) => /\d/.test(word))
    let best: Place | undefined
    let most = Math.max(minWords, words.size * minShare) - 1e-9
    for (const place of this.#places) {
      const found = [...words].filter((word) => place.words.has(word)).length
      if (found <= most || !numbers.every((number) => place.words.has(number))) continue
      best = place
      most = found
    }
    return best && citationOf(best)
  }
}

interface Place {
  readonly page: QuotablePage
  readonly index: number
  readonly start: number
  readonly end: number
  readonly words: ReadonlySet<string>
}

const maxPlaces = 10_000
/** Fewer words than this are found on any page. */
const minWords = 4
/** The share of a sentence's words that one place must have. */
const minShare = 0.6

function citationOf({ page, index, start, end }: Place): PageCitation {
  return {
    type: 'char_location',
    cited_text: page.text.slice(start, end),
    document_index: index,
    document_title: page.title,
    start_char_index: start,
    end_char_index: end,
    file_id: null,
  }
}

/** The sentences of a page; a line ends one as well. */
function* placesIn(page: QuotablePage, index: number): Generator<Place, void, undefined> {
  let at = 0
  for (const end of sentenceEnds(page.text)) {
    const piece = page.text.slice(at, end)
    const start = at + piece.length - piece.trimStart().length
    const words = wordsOf(piece)
    if (words.size >= minWords) yield { page, index, start, end: start + piece.trim().length, words }
    at = end
  }
}

/** Words that tell something, in lower case; no addresses of links. Scripts without spaces count by the character. */
function wordsOf(text: string): ReadonlySet<string> {
  const plain = text.replace(/\]\([^()\s]{0,2000}\)/g, ']').toLowerCase()
  const words = plain.match(
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{M}]+|\d+(?:[.,]\d+)*/gu,
  )
  return new Set((words ?? []).filter((word) => word.length > 3 || /[^a-z]/.test(word)))
}

/** Divides a text that streams into its sentences, each with the space behind it. */
export class SentenceBuffer {
  #held = ''

  push(text: string): readonly string[] {
    this.#held += text
    const pieces: string[] = []
    for (let end = endOfFirst(this.#held); end > 0; end = endOfFirst(this.#held)) {
      pieces.push(this.#held.slice(0, end))
      this.#held = this.#held.slice(end)
    }
    return pieces
  }

  flush(): string {
    const rest = this.#held
    this.#held = ''
    return rest
  }
}

/** 0 while no end is there. */
function endOfFirst(text: string): number {
  const end = /[.!?]["'”’)\]*_]{0,5}\s+|[。！？]|\n+/.exec(text)
  if (end) return end.index + end[0].length
  return text.length > maxHeld ? text.length : 0
}

/** A longer text without an end is no sentence. */
const maxHeld = 1000
