import { Brackets } from './brackets.ts'

/** A reader that may have to wait for more text: it yields when it needs some, and returns what it read. */
export type Reading<T> = Generator<undefined, T, undefined>

/**
 * Text that is still arriving. Indexes count from the very first character, and stay valid while text is appended.
 * Readers wait with `yield*`, so their result cannot depend on how the text was split.
 */
export class TextInput {
  /** Everything before it is processed and may be dropped, except one character, which readers look back at. */
  at = 0
  /** Where its square brackets close, as far as that was asked for. */
  readonly brackets = new Brackets()
  #text = ''
  #start = 0
  #ended = false

  /** A complete text: reading it never waits. */
  static of(text: string): TextInput {
    const input = new TextInput()
    input.append(text)
    input.finish()
    return input
  }

  append(text: string): void {
    const start = Math.max(this.#start, this.at - 1)
    // To cut what is not read yet anew for each piece would take quadratic time.
    if (start > this.#start) this.#text = this.#text.slice(start - this.#start)
    this.#text += text
    this.#start = start
  }

  finish(): void {
    this.#ended = true
  }

  /** The index after the last character that has arrived. */
  get end(): number {
    return this.#start + this.#text.length
  }

  /** The character at an index, or `''` when there is none, or none yet. */
  char(index: number): string {
    return this.#text.charAt(index - this.#start)
  }

  slice(from: number, to: number): string {
    return this.#text.slice(from - this.#start, to - this.#start)
  }

  /** The index of the first match of a pattern with the `g` flag in the text so far, from `at` on. */
  find(pattern: RegExp): number {
    pattern.lastIndex = this.at - this.#start
    const match = pattern.exec(this.#text)
    return match ? this.#start + match.index : this.end
  }

  /** Waits for the character at an index; `''` when the text ends before it. */
  *wait(index: number): Reading<string> {
    while (index >= this.end && !this.#ended) yield
    return this.char(index)
  }

  /** Whether the text continues with a word, which is given in lower case. Case-insensitive; waits only while undecided. */
  *startsWith(word: string, from: number): Reading<boolean> {
    for (let offset = 0; offset < word.length; offset++) {
      const char = this.char(from + offset) || (yield* this.wait(from + offset))
      if (char.toLowerCase() !== word.charAt(offset)) return false
    }
    return true
  }
}
