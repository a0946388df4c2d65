import { closingPunctuation, isUrlCharacter, urlPrefixes } from './bare-url.ts'

/**
 * The last word on text that leaves: no URL passes. Readers take URLs out before; this catches those that come into
 * being where something was taken out, as in `htt[9]ps://…`. Text may come in any pieces.
 */
export class UrlGuard {
  #tail = ''
  #open = false

  pass(text: string): string {
    if (!this.#open && !anyPrefix.test(this.#tail + text)) {
      this.#remember(text)
      return text
    }
    let safe = ''
    for (const char of text) if (this.#admits(char)) safe += char
    return safe
  }

  #admits(char: string): boolean {
    if (this.#open && isUrlCharacter(char) && char !== ')') return closingPunctuation.includes(char)
    this.#remember(char)
    this.#open = (char === '/' || char === '.') && urlPrefixes.some((prefix) => this.#tail.endsWith(prefix))
    return true
  }

  #remember(text: string): void {
    this.#tail = (this.#tail + text.slice(-longestPrefix)).slice(-longestPrefix).toLowerCase()
  }
}

const anyPrefix = /(?:https?|ftp):\/\/|www\./i
const longestPrefix = Math.max(...urlPrefixes.map((prefix) => prefix.length))
