/** Follows a text of Markdown in pieces: whether what comes next stands in code, which shows its words and does not mean them. */
export class ShownCode {
  /** The first characters of the line so far. */
  #line = ''
  /** The line so far has an opening backtick. */
  #isQuoted = false
  /** What opened the fence that is open. */
  #fence = ''

  read(text: string): void {
    let from = 0
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      this.#grow(text.slice(from, end))
      this.#endLine()
      from = end + 1
    }
    this.#grow(text.slice(from))
  }

  /** Between backticks or lines of signs. */
  get isMarked(): boolean {
    return this.#isQuoted || this.#fence !== ''
  }

  /** The same, or indented. */
  get isCode(): boolean {
    return this.isMarked || /^(?: {4}| {0,3}\t)/.test(this.#line)
  }

  get isLineStart(): boolean {
    return this.#line.trim() === ''
  }

  #grow(part: string): void {
    if (part.includes('`') && part.split('`').length % 2 === 0) this.#isQuoted = !this.#isQuoted
    if (this.#line.length < maxLine) this.#line += part.slice(0, maxLine - this.#line.length)
  }

  #endLine(): void {
    const [, signs = '', behind = ''] = /^[\s>*+\d.)-]*?(`{3,}|~{3,})(.*)/.exec(this.#line) ?? []
    if (this.#fence === '') this.#fence = behind.includes('`') ? '' : signs
    else if (signs.startsWith(this.#fence) && behind.trim() === '') this.#fence = ''
    this.#line = ''
    this.#isQuoted = false
  }
}

const maxLine = 200
