/**
 * Sees, while JSON comes in pieces, when its object has ended, and escapes what many models leave raw in its strings: line
 * breaks and other control characters, which JSON does not allow there. In linear time, without keeping the text.
 */
export class JsonEnd {
  #depth = 0
  #isInString = false
  #isEscaped = false
  #hasEnded = false
  #length = 0

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** The characters that were read, up to the end of the object. */
  get length(): number {
    return this.#length
  }

  /** Returns the piece with its strings as JSON has them. */
  push(text: string): string {
    let mended = ''
    let start = 0
    let index = 0
    for (; index < text.length && !this.#hasEnded; index++) {
      const code = text.charCodeAt(index)
      if (code < space && this.#isInString && !this.#isEscaped) {
        mended += text.slice(start, index) + JSON.stringify(text[index]).slice(1, -1)
        start = index + 1
      } else this.#read(code)
    }
    this.#length += index
    return mended + text.slice(start)
  }

  #read(code: number): void {
    if (this.#isInString) {
      if (this.#isEscaped) this.#isEscaped = false
      else if (code === backslash) this.#isEscaped = true
      else if (code === quote) this.#isInString = false
    } else if (code === quote) this.#isInString = true
    else if (code === openBrace || code === openBracket) this.#depth++
    else if ((code === closeBrace || code === closeBracket) && --this.#depth <= 0) this.#hasEnded = true
  }
}

const space = 0x20
const quote = 0x22
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d
