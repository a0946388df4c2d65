/** Finds where the square brackets of a text close. Reads each character once, however many brackets are open. */
export class Brackets {
  /** The index of the first character that was not read. */
  until = 0
  /** By the index of the opening bracket; `undefined` while it is open, infinite where an empty line ended it. */
  readonly #ends = new Map<number, number | undefined>()
  #open: number[] = []
  #lineIsEmpty = false

  /** Prepares for the bracket at an index. */
  begin(from: number): void {
    if (this.#ends.has(from) && this.#ends.size < maxKnown) return
    this.#ends.clear()
    this.#open = []
    this.until = from
  }

  endOf(from: number): number | undefined {
    return this.#ends.get(from)
  }

  read(char: string): void {
    const at = this.until++
    if (char === '[') {
      this.#open.push(at)
      this.#ends.set(at, undefined)
    } else if (char === ']') this.#close(at)
    else if (char === '\\') this.until++
    else if (char === '\n' && this.#lineIsEmpty) while (this.#open.length > 0) this.#close(Number.POSITIVE_INFINITY)
    this.#lineIsEmpty = char === '\n' || (this.#lineIsEmpty && /\s/.test(char))
  }

  #close(at: number): void {
    const from = this.#open.pop()
    if (from !== undefined) this.#ends.set(from, at)
  }
}

const maxKnown = 2000
