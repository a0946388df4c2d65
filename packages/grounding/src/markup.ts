import type { Reading, TextInput } from './text-input.ts'

/** The characters after a backslash that begin a formula. */
export const formulaStarts = ['(', '[', 'begin{', 'ce{', 'pu{']
/** What begins the words after a backslash that make a formula a link, or spell an address in JSON. */
const activeStarts = ['href', 'url', 'includegraphics', 'html', 'unicode', 'u0', 'mmltoken', 'csname']
/** Whole words after a backslash that load, style, or read a file. */
const activeWords = ['style', 'bbox', 'cssid', 'require', 'input', 'include', 'write', 'openin', 'openout', 'catcode']

/** Whether what follows a backslash is a command that acts where a client renders formulas. */
export function* isActiveCommand(input: TextInput, from: number): Reading<boolean> {
  if (yield* startsWithAny(input, from, activeStarts)) return true
  for (const word of activeWords) {
    if (yield* input.startsWith(word, from)) return !/^[a-z]$/i.test(yield* input.wait(from + word.length))
  }
  return false
}

/** Whether what follows a backslash is a letter by its number, as in styles: `\74` is a `t`. */
export function* isStyleEscape(input: TextInput, from: number): Reading<boolean> {
  const start = yield* endOf(input, from, /^0$/)
  if (!/^[2-7]$/.test(yield* input.wait(start))) return false
  return /^[\da-f]$/i.test(yield* input.wait(start + 1))
}

export function* startsWithAny(input: TextInput, from: number, words: readonly string[]): Reading<boolean> {
  for (const word of words) if (yield* input.startsWith(word, from)) return true
  return false
}

/** Whether the `<` at an index may begin a tag, a comment or an autolink to any reader: not in `<3`, `<=` or `< b`. */
export function* isActiveAngle(input: TextInput, from: number): Reading<boolean> {
  for (let end = from + 1; end - from <= maxWordLength; end++) {
    const char = input.char(end) || (yield* input.wait(end))
    if (end === from + 1 && /[a-z/!?\\]/i.test(char)) return true
    if (char === '@') return true
    if (char === '' || /[\s<>]/.test(char)) return false
  }
  return true
}

/**
 * Whether what follows the `(` or `:` at an index, which follows a `]`, may be the address of a link or a definition.
 * When in doubt, yes. No: more words than an address and its title have, as in `[1](see below)`.
 */
export function* mayBeDestination(input: TextInput, from: number): Reading<boolean> {
  const isLink = input.char(from) === '('
  let index = yield* endOf(input, from + 1, /^[ \t]$/)
  let isQuoted = false
  if ((yield* input.wait(index)) === '\n') {
    const start = index + 1
    index = yield* endOf(input, start, /^[ \t>]$/)
    // A sign of a quote is an address to some readers.
    isQuoted = input.slice(start, index).includes('>')
    if ((yield* input.wait(index)) === '\n') return isQuoted
  }
  const first = yield* input.wait(index)
  if (first === '') return isQuoted
  if (first === '<') return true
  for (const start = index; index - start <= maxWordLength; index++) {
    const char = input.char(index) || (yield* input.wait(index))
    if (isLink && char === ')') return true
    // What is held back here may leave the address without the words behind it for a while.
    if (!isLink && (char === '`' || char === '[' || char === ':')) return true
    if (char !== '' && !' \t\n'.includes(char)) continue
    const next = yield* input.wait(yield* endOf(input, index, /^[ \t]$/))
    return next === '' ? !isLink : /[\n"'(&)\s]/.test(next)
  }
  return true
}

const maxWordLength = 100
const maxSpaceLength = 32

function* endOf(input: TextInput, from: number, space: RegExp): Reading<number> {
  let end = from
  while (end - from < maxSpaceLength && space.test(yield* input.wait(end))) end++
  return end
}

/** Knows whether a text that grows ends with a label at the start of a line, which a colon would make a definition. */
export class LabelWatch {
  /** Only white space, list markers and the like so far in this line. */
  #isHead = true
  #isEmpty = true
  /** The text of the line so far; no more than its beginning of a long one. */
  #line = ''
  #last = ''
  #state: 'none' | 'open' | 'escape' | 'closed' = 'none'

  /** Whether no word stands before, but what may be a label: some readers find a block behind `[ ]` or `[^1]:`. */
  get mayBeAtHead(): boolean {
    return !/\p{L}/u.test(this.#line.replace(/\[[^\]]{0,100}\]:?/g, ''))
  }

  /** Behind a formula some readers find a definition in the middle of a line. */
  endsWithLabel(isBehindFormula: boolean): boolean {
    return this.#state === 'closed' || (isBehindFormula && this.#last === ']')
  }

  /** What follows may be shown alone, at the start of a line. */
  restart(): void {
    this.#isHead = true
    this.#line = ''
  }

  push(text: string): void {
    const lineAt = text.lastIndexOf('\n') + 1
    this.#last = text.slice(-1)
    if (lineAt > 0) this.#line = ''
    if (this.#line.length < maxWordLength) this.#line += text.slice(lineAt)
    for (let index = 0; index < text.length; index++) {
      if (!this.#isHead && this.#state === 'none') {
        index = text.indexOf('\n', index)
        if (index < 0) return
      }
      this.#read(text.charAt(index))
    }
  }

  #read(char: string): void {
    if (char === '\n') {
      this.#state = this.#isEmpty || this.#state === 'closed' ? 'none' : this.#state
      this.#isHead = true
      this.#isEmpty = true
      return
    }
    this.#isEmpty &&= /[ \t>]/.test(char)
    // A footnote's text begins behind its label.
    const isBehindLabel = char === ':' && this.#state === 'closed'
    if (this.#isHead && char === '[') this.#state = 'open'
    else if (this.#state !== 'none') this.#state = this.#next(char)
    this.#isHead = isBehindLabel || (this.#isHead && /[\s>+*\-\d.)]/.test(char))
  }

  #next(char: string): 'none' | 'open' | 'escape' | 'closed' {
    if (this.#state === 'escape') return 'open'
    if (this.#state === 'closed') return 'none'
    if (char === '\\') return 'escape'
    return char === ']' ? 'closed' : char === '[' ? 'none' : 'open'
  }
}
