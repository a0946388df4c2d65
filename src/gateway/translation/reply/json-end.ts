/** Sees, while JSON comes in pieces, when its object has ended. In linear time, without keeping the text. */
export class JsonEnd {
  #depth = 0
  #isInString = false
  #isEscaped = false
  #hasEnded = false

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  push(text: string): void {
    for (let index = 0; index < text.length && !this.#hasEnded; index++) this.#read(text.charCodeAt(index))
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

const quote = 0x22
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d
