/** A part of a text: words, or the number of a page that they rest on. */
export type CitedDelta = { readonly text: string } | { readonly number: number }

/**
 * Finds the numbers of pages in a text that comes in pieces: `[2]` behind a statement, in no code. A number that no page has
 * is left in the text.
 */
export class CitedDeltas {
  #held = ''
  #isCode = false
  /** The last character before what is held back. */
  #last = ' '

  push(piece: string, pages: number): Generator<CitedDelta, void, undefined> {
    this.#held += piece
    return this.#parts(pages, false)
  }

  /** What is held back at the end of a block. */
  *end(pages: number): Generator<CitedDelta, void, undefined> {
    yield* this.#parts(pages, true)
    this.#isCode = false
    this.#last = ' '
  }

  *#parts(pages: number, isEnd: boolean): Generator<CitedDelta, void, undefined> {
    const text = this.#held
    let done = 0
    let words = ''
    for (const match of text.matchAll(/`+|[ \t]?\[(\d{1,2})\](?!\()/g)) {
      const [whole, digits] = match
      const next = match.index + whole.length
      // The code may go on, or a link may follow the bracket.
      if (!isEnd && next === text.length) break
      words += text.slice(done, match.index)
      done = next
      // `list[1]` is no mark.
      const isAttached = whole.startsWith('[') && /\w/.test(words.at(-1) ?? this.#last)
      const number = Number(digits)
      if (digits !== undefined && !this.#isCode && !isAttached && number >= 1 && number <= pages) {
        if (words) yield { text: words }
        words = ''
        this.#last = ' '
        yield { number }
      } else {
        if (digits === undefined) this.#isCode = !this.#isCode
        words += whole
      }
    }
    const rest = text.slice(done)
    const cut = isEnd ? -1 : rest.search(/(?:[ \t]?\[\d{0,2}\]?|[ \t]|`+)$/)
    words += cut < 0 ? rest : rest.slice(0, cut)
    this.#held = cut < 0 ? '' : rest.slice(cut)
    this.#last = words.at(-1) ?? this.#last
    if (words) yield { text: words }
  }
}
