import { beginningAtEnd } from '@csp/lib/stop-sequences'
import { ShownCode } from '../shown-code.ts'
import { bareForms, forms } from './forms.ts'
import { type CallForm, type FoundCalls, isOnlyMarks, type Offered, type WrittenCall } from './read-form.ts'

/** A piece of a reply: a text, or a call that the model has written as one. */
export type Written = string | WrittenCall

/** A text that may be calls, from its opening on. */
interface Opened {
  readonly opening: string
  readonly closing: string
  readonly forms: readonly CallForm[]
  readonly pieces: string[]
  length: number
  /** The first characters behind the opening: they show whether calls can follow. */
  head: string
  /** The last characters, in which a closing may have begun. */
  tail: string
  /** Closings behind which there were no calls. */
  attempts: number
}

/**
 * Takes the calls out of a text that a model writes, where they have a known form, and a name that the request offers. Any
 * other text comes out unchanged, also one in backticks. What may be a call is held back until it is known, and what
 * follows a call as well: a real call behind it says that the server knows the form, and that the text only repeats it.
 */
export class WrittenCalls {
  readonly #offered: Offered
  #opened: Opened | undefined
  /** The end of the text, in which an opening may have begun. */
  #held = ''
  #isAtHead = true
  #hasGivenUp: boolean
  /** Openings that began no call. */
  #failures = 0
  /** The backticks at the end of the text so far. */
  #ticks = 0
  #isFenced = false
  readonly #shown = new ShownCode()
  /** From the first call on, each with the text that it stood in. */
  #kept: { readonly text: string; readonly calls?: readonly WrittenCall[] }[] = []

  constructor(offered: Offered) {
    this.#offered = offered
    this.#hasGivenUp = offered.size === 0
  }

  /** Whether something is held back. */
  get isHolding(): boolean {
    return this.#opened !== undefined || this.#held !== '' || this.#kept.length > 0
  }

  /** The text that may go out now. */
  push(piece: string): string {
    if (!this.isHolding && (this.#hasGivenUp || !(this.#isAtHead || /[<[]/.test(piece)))) {
      this.#noteTicks(piece)
      return piece
    }
    return this.#read(piece, false)
  }

  /** What was held back, when nothing more comes. */
  end(): readonly Written[] {
    const text = this.#read('', true)
    const pieces: Written[] = []
    let between = ''
    const endText = (): void => {
      // Blanks, and marks that closed a call.
      if (!isOnlyMarks(between)) pieces.push(between)
      between = ''
    }
    for (const { text: written, calls } of this.#kept) {
      if (calls) {
        endText()
        pieces.push(...calls)
      } else between += written
    }
    endText()
    this.#kept = []
    return [text, ...pieces]
  }

  /** What was held back, unchanged: it was text. */
  release(): string {
    const kept = this.#kept.map(({ text }) => text).join('')
    const opened = this.#opened ? this.#opened.opening + this.#opened.pieces.join('') : ''
    const all = kept + opened + this.#held
    this.#kept = []
    this.#opened = undefined
    this.#held = ''
    this.#hasGivenUp = true
    return all
  }

  #read(piece: string, isEnd: boolean): string {
    const out: string[] = []
    const say = (text: string): void => {
      this.#noteTicks(text)
      if (/\S/.test(text)) this.#isAtHead = false
      if (this.#kept.length > 0) this.#kept.push({ text })
      else out.push(text)
    }
    let rest = this.#held + piece
    this.#held = ''
    while (rest !== '' || (isEnd && this.#opened)) {
      rest = this.#opened ? this.#grow(this.#opened, rest, isEnd, say) : this.#seek(rest, isEnd, say)
    }
    return out.join('')
  }

  /** Looks for an opening, and returns what follows it. */
  #seek(text: string, isEnd: boolean, say: (text: string) => void): string {
    if (this.#hasGivenUp) {
      say(text)
      return ''
    }
    openings.lastIndex = 0
    const found = openings.exec(text)
    const blank = this.#isAtHead ? /^\s*(?=[[{])/.exec(text)?.[0] : undefined
    if (blank !== undefined && found?.index !== blank.length) {
      const bare = text.slice(blank.length)
      if (!isEnd && startsOpening(bare)) {
        this.#held = text
        return ''
      }
      if (blank !== '') say(blank)
      this.#open('', '', bareForms)
      return bare
    }
    if (!found) {
      const kept = isEnd ? 0 : lengthOfBeginning(text)
      this.#held = text.slice(text.length - kept)
      if (kept < text.length) say(text.slice(0, text.length - kept))
      return ''
    }
    const [opening] = found
    if (found.index > 0) say(text.slice(0, found.index))
    if (this.#ticks > 0 || this.#isFenced || this.#shown.isMarked) say(opening)
    else {
      const lines = forms.filter(([begin]) => begin === opening)
      this.#open(
        opening,
        lines[0]?.[1] ?? '',
        lines.map(([, , form]) => form),
      )
    }
    return text.slice(found.index + opening.length)
  }

  #open(opening: string, closing: string, own: readonly CallForm[]): void {
    this.#opened = { opening, closing, forms: own, pieces: [], length: 0, head: '', tail: '', attempts: 0 }
  }

  /** Adds to what may be calls. Returns what follows them, or all of it if they are none. */
  #grow(opened: Opened, text: string, isEnd: boolean, say: (text: string) => void): string {
    const end = endOfClosing(opened, text)
    const own = text.slice(0, end)
    const rest = text.slice(own.length)
    opened.pieces.push(own)
    opened.length += own.length
    opened.head = (opened.head + own.slice(0, headLength)).slice(0, headLength)
    opened.tail = end === undefined ? (opened.tail + own).slice(-opened.closing.length) : ''
    const isLong = opened.length > maxLength
    const canBe = opened.forms.some((form) => form.canBegin(withOwn(opened, opened.head), this.#offered))
    if (end === undefined && !isEnd && !isLong && canBe) return ''
    const all = opened.pieces.join('')
    const found = canBe && !isLong ? callsIn(opened, all, this.#offered) : undefined
    if (found) {
      this.#opened = undefined
      this.#isAtHead = false
      this.#kept.push({ text: opened.opening + all.slice(0, found.end), calls: found.calls })
      return all.slice(found.end) + rest
    }
    // A closing may stand in an argument.
    if (end !== undefined && canBe && !isLong && ++opened.attempts < maxAttempts) return rest
    this.#opened = undefined
    this.#hasGivenUp = ++this.#failures === maxFailures
    say(opened.opening || all.slice(0, 1))
    return (opened.opening ? all : all.slice(1)) + rest
  }

  /** What stands in code is shown, not meant. Backticks count as a fence in the middle of a line, too. */
  #noteTicks(text: string): void {
    this.#shown.read(text)
    if (this.#ticks === 0 && !text.includes('`')) return
    for (const part of text.match(/`+|[^`]+/g) ?? []) {
      if (part.startsWith('`')) this.#ticks += part.length
      else {
        if (this.#ticks >= 3) this.#isFenced = !this.#isFenced
        this.#ticks = 0
      }
    }
  }
}

/** Characters that are held back at most: an argument may be a whole file. */
const maxLength = 200_000
const maxAttempts = 5
const maxFailures = 8
const headLength = 300

const allOpenings = [...new Set(forms.map(([opening]) => opening))]
const openings = new RegExp(allOpenings.map((opening) => opening.replace(/[|[\]]/g, '\\$&')).join('|'), 'g')

const longestOpening = Math.max(...allOpenings.map(({ length }) => length))

function startsOpening(text: string): boolean {
  return allOpenings.some((opening) => opening.startsWith(text))
}

/** How many characters at the end of a text may begin an opening. */
function lengthOfBeginning(text: string): number {
  const end = text.slice(-longestOpening)
  return /[<[]/.test(end) ? Math.max(...allOpenings.map((opening) => beginningAtEnd(end, opening))) : 0
}

/** Where the closing ends in a text that goes on; `undefined` if it does not. */
function endOfClosing({ closing, tail }: Opened, text: string): number | undefined {
  if (closing === '') return undefined
  const place = (tail + text).indexOf(closing)
  return place < 0 ? undefined : place + closing.length - tail.length
}

/** An opening that is no mark is where the call itself begins. */
function withOwn({ opening }: Opened, text: string): string {
  return isMark(opening) ? text : opening + text
}

function isMark(opening: string): boolean {
  return /[>\]]$/.test(opening)
}

/** The calls in all that stands behind an opening. They are all of it, but for a mark that nothing closes. */
function callsIn(opened: Opened, all: string, offered: Offered): FoundCalls | undefined {
  const { opening, closing, forms: own } = opened
  const isClosed = isMark(opening) && closing !== '' && all.endsWith(closing)
  const text = withOwn(opened, isClosed ? all.slice(0, -closing.length) : all)
  for (const form of own) {
    const found = form.read(text, offered)
    if (found && isMark(opening) && closing === '') return found
    if (found && isOnlyMarks(text.slice(found.end))) return { calls: found.calls, end: all.length }
  }
  return undefined
}
