import { csp } from './program.ts'
import type { Stream } from './shell.ts'

/**
 * Wraps text while it is written, word by word. Code and tables are left as they are; the lines of an item in a list are
 * indented as its first.
 */
export class WrappedText {
  readonly #width: number
  readonly #decorate: (word: string) => string
  #column = 0
  #indent = ''
  #space = ''
  #word = ''
  #isInCode = false
  /** A line of code or of a table. */
  #isVerbatim = false

  /** `decorate` may add to a word what takes no column. */
  constructor(width: number, decorate: (word: string) => string = (word) => word) {
    this.#width = width
    this.#decorate = decorate
  }

  /** Returns what is complete: a word is held until its end is seen. */
  push(text: string): string {
    return (text.match(tokens) ?? []).map((token) => this.#take(token)).join('')
  }

  /** Flushes the last word. */
  end(): string {
    return this.#flush()
  }

  #take(token: string): string {
    if (token === '\n') return this.#flush() + this.#breakLine()
    if (/^\s/.test(token)) {
      const done = this.#flush()
      this.#space += token
      return done
    }
    if (!wideLetter.test(token)) {
      this.#word += token
      return ''
    }
    // A line may be broken on both sides of such a letter.
    const before = this.#flush()
    this.#word = token
    return before + this.#flush()
  }

  #breakLine(): string {
    this.#column = 0
    this.#indent = ''
    this.#space = ''
    return '\n'
  }

  #flush(): string {
    const word = this.#word
    if (!word) return ''
    this.#word = ''
    if (this.#column === 0) this.#begin(word)
    const space = this.#space
    this.#space = ''
    const width = Bun.stringWidth(word)
    const isFull = this.#column + space.length + width > this.#width
    if (isFull && this.#column > this.#indent.length && !this.#isVerbatim) {
      this.#column = this.#indent.length + width
      return `\n${this.#indent}${this.#decorate(word)}`
    }
    this.#column += space.length + width
    return `${space}${this.#decorate(word)}`
  }

  /** Looks at the first word of a line. */
  #begin(word: string): void {
    const isFence = word.startsWith('```')
    this.#isVerbatim = isFence || this.#isInCode || word.startsWith('|')
    if (isFence) this.#isInCode = !this.#isInCode
    const hanging = /^(?:[-*+]|\d{1,3}[.)])$/.test(word) ? word.length + 1 : 0
    this.#indent = ' '.repeat(this.#space.length + hanging)
  }
}

/** Whole lines as a terminal shows them best. For a file or a pipe, as they are. */
export function wrapped(text: string, { isTerminal, columns }: Pick<Stream, 'isTerminal' | 'columns'>): string {
  return isTerminal ? wrapLines(text, columns) : text
}

/** Breaks lines between words: never in a word, an address or a path, nor in a command of csp that a reader may copy. */
export function wrapLines(text: string, columns: number): string {
  const lines = new WrappedText(columns)
  const whole = text.replace(commands, (command) =>
    command.length <= columns ? command.replaceAll(' ', heldSpace) : command,
  )
  return (lines.push(whole) + lines.end()).replaceAll(heldSpace, ' ')
}

/** `csp keys add NAME`, `csp setup cursor --undo`: the name, its words, and then flags, placeholders and quotations. */
const commands = new RegExp(
  String.raw`(?<![\w/])${csp.replace(/[^\w ]/g, String.raw`\$&`)} [a-z]+(?: (?:add|remove|list|set|unset|show|cancel|forget|export|path|prompts|edge|edit|--?[a-z][\w-]*(?: \d+)?|[A-Z][A-Z-]+|"[^"\n]{1,80}"))*`,
  'g',
)
/** A private letter, as wide as the space that it stands for. */
const heldSpace = '\ue000'

const tokens =
  /\n|[^\S\n]+|[\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]|[^\s\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]+/g
const wideLetter = /^[\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]$/
