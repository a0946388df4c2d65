import type { Reading, TextInput } from './text-input.ts'

/** How a URL in running text begins. */
const urlPrefixes = ['https://', 'http://', 'ftp://', 'www.'] as const

/** A longer URL is not read: it cannot be a source. In characters. */
export const maxUrlLength = 2500

/** A URL without the punctuation behind it, and the index after it. `endless`: longer than `maxUrlLength`. */
interface BareUrl {
  readonly url: string
  readonly end: number
  readonly endless: boolean
}

/** Reads the URL at an index. `undefined` when there is none, as for a bare `https://`. */
export function* readBareUrl(input: TextInput, from: number): Reading<BareUrl | undefined> {
  const start = from + (yield* prefixLength(input, from))
  if (start === from) return undefined
  let end = yield* hostInBrackets(input, start)
  for (let depth = 0; end - from <= maxUrlLength; end++) {
    const char = input.char(end) || (yield* input.wait(end))
    if (!isUrlCharacter(char)) break
    if (char === '(') depth++
    else if (char === ')' && --depth < 0) break
  }
  const endless = end - from > maxUrlLength
  while (!endless && end > start && closingPunctuation.includes(input.char(end - 1))) end--
  return end > start ? { url: input.slice(from, end), end, endless } : undefined
}

/** Whether a URL can contain a character. Square brackets do not count: they are usually a marker. */
export function isUrlCharacter(char: string): boolean {
  return char !== '' && !/[\s<>"`|\\[\]^—–、。，；：！？（）【】「」『』《》〈〉“”‘’«»…]/.test(char)
}

/** Characters that, at the end, belong to the sentence rather than the URL. */
export const closingPunctuation = ".,;:!?}'*_~"

function* prefixLength(input: TextInput, from: number): Reading<number> {
  for (const prefix of urlPrefixes) if (yield* input.startsWith(prefix, from)) return prefix.length
  return 0
}

/** `[::1]`, the only place where a URL contains square brackets. */
function* hostInBrackets(input: TextInput, start: number): Reading<number> {
  if ((yield* input.wait(start)) !== '[') return start
  for (let index = start + 1; index < start + 50; index++) {
    const char = yield* input.wait(index)
    if (char === ']') return index + 1
    if (!/[\da-f:.]/i.test(char)) break
  }
  return start
}

/**
 * The last check of the output: no URL passes. Readers remove URLs before; this catches those that removing something
 * else creates, as in `htt[9]ps://…`. Text may come in any pieces.
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
    this.#tail = (this.#tail + text.slice(-maxPrefixLength)).slice(-maxPrefixLength).toLowerCase()
  }
}

const anyPrefix = /(?:https?|ftp):\/\/|www\./i
const maxPrefixLength = Math.max(...urlPrefixes.map((prefix) => prefix.length))
