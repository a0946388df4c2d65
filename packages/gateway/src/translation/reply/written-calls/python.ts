import type { CallForm, WrittenCall } from './read-form.ts'

/** `[get_weather(city='Paris', days=3)]`: calls in the words of Python, in brackets or alone. */
export const python: CallForm = {
  canBegin(head, offered) {
    const [name = '', hasMore] = head.replace(/^[\s[]+/, '').split('(')
    return offered.keys().some((one) => (hasMore === undefined ? `${one}.call`.startsWith(name) : isName(one, name)))
  },
  read(text, offered) {
    const reader = new LiteralReader(text)
    const calls: WrittenCall[] = []
    const isList = reader.takes('[')
    do {
      const name = reader.name()
      if (name === undefined || !offered.has(name) || !reader.takes('(')) break
      const input = reader.pairs(')', '=', () => reader.name())
      if (!input || calls.length === maxCalls) return undefined
      calls.push({ name, input })
    } while (isList && reader.takes(','))
    if (calls.length === 0 || (isList && !reader.takes(']'))) return undefined
    return { calls, end: reader.place }
  },
}

function isName(name: string, written: string): boolean {
  return written === name || written === `${name}.call`
}

const maxCalls = 64
const maxDepth = 32

/** A value of Python. Where a text is none, it is `undefined`. */
type Literal = string | number | boolean | null | readonly unknown[] | Readonly<Record<string, unknown>>

/** Reads literals of Python one behind the other, in linear time. */
class LiteralReader {
  readonly #text: string
  place = 0
  #depth = 0

  constructor(text: string) {
    this.#text = text
  }

  /** Whether a sign comes next, behind blanks. Then it is read. */
  takes(sign: string): boolean {
    this.#match(/\s*/y)
    if (!this.#text.startsWith(sign, this.place)) return false
    this.place += sign.length
    return true
  }

  /** A name, without the `.call` of Llama's own tools. */
  name(): string | undefined {
    return this.#match(/\s*([\w-]{1,200})(?:\.call(?=\())?/y)?.[1]
  }

  /** `key SIGN value` up to a closing sign. */
  pairs(closing: string, sign: string, key: () => unknown): Readonly<Record<string, unknown>> | undefined {
    const found: [string, unknown][] = []
    while (!this.takes(closing)) {
      if (found.length > 0 && !this.takes(',')) return undefined
      if (found.length > 0 && this.takes(closing)) break
      const name = key()
      if (typeof name !== 'string' || !this.takes(sign)) return undefined
      const value = this.#value()
      if (value === undefined) return undefined
      found.push([name, value])
    }
    return Object.fromEntries(found)
  }

  #value(): Literal | undefined {
    if (this.#depth === maxDepth) return undefined
    this.#depth++
    const value = this.#literal()
    this.#depth--
    return value
  }

  #literal(): Literal | undefined {
    if (this.takes('{')) return this.pairs('}', ':', () => this.#string())
    if (this.takes('[')) return this.#list()
    const word = this.#match(/(?:True|False|None|true|false|null)\b/y)?.[0].toLowerCase()
    if (word !== undefined) return word === 'true' ? true : word === 'false' ? false : null
    const digits = this.#match(/-?\d{1,30}(?:\.\d{1,30})?(?:[eE][+-]?\d{1,3})?/y)?.[0]
    if (digits === undefined) return this.#string()
    return Number.isFinite(Number(digits)) ? Number(digits) : undefined
  }

  #list(): readonly unknown[] | undefined {
    const items: unknown[] = []
    while (!this.takes(']')) {
      if (items.length > 0 && !this.takes(',')) return undefined
      if (items.length > 0 && this.takes(']')) break
      const value = this.#value()
      if (value === undefined) return undefined
      items.push(value)
    }
    return items
  }

  #string(): string | undefined {
    this.#match(/\s*/y)
    const quote = this.#match(/'''|"""|['"]/y)?.[0]
    if (quote === undefined) return undefined
    const pieces: string[] = []
    for (;;) {
      const plain = this.#match(/[^\\'"]+/y)?.[0] ?? ''
      pieces.push(plain)
      if (this.#takesHere(quote)) return pieces.join('')
      const escaped = this.#match(/\\(?:u([\da-fA-F]{4})|([\s\S]))/y)
      const other = escaped ? unescaped(escaped) : this.#match(/['"]/y)?.[0]
      if (other === undefined) return undefined
      pieces.push(other)
    }
  }

  #takesHere(sign: string): boolean {
    if (!this.#text.startsWith(sign, this.place)) return false
    this.place += sign.length
    return true
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.place
    const found = pattern.exec(this.#text)
    if (!found) return undefined
    this.place = pattern.lastIndex
    return found
  }
}

function unescaped([whole, code, letter = '']: RegExpExecArray): string {
  if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16))
  const found = letters[letter]
  if (found !== undefined) return found
  return `'"\\`.includes(letter) ? letter : whole
}

const letters: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', '\n': '' }
