import { sourceNote } from '@csp/language/source-note'
import { AnswerGuard } from './answer-guard.ts'
import type { GroundedPart } from './grounded-part.ts'
import type { Source } from './source-index.ts'

/**
 * The output text: places the markers, repairs the spaces where something was left out, and passes the guard.
 * Whitespace is held back until something follows it, so the text never ends with whitespace.
 */
export class GroundedText {
  readonly #guard = new AnswerGuard()
  /** What was written last. */
  #tail = ''
  /** What was written first: enough to know the language. */
  #opening = ''
  #note = { opening: '', text: sourceNote('') }
  #space = ''
  /** The whitespace before the part that was just left out. */
  #gap: string | undefined
  #marker: number | undefined
  #citations = 0

  /** The last character that is not whitespace; `''` while there is none. */
  get last(): string {
    return this.#tail.slice(-1)
  }

  /** The end of the text, where what is written next touches it; otherwise `''`. */
  get touched(): string {
    return this.#space === '' && !this.#gap ? this.#tail : ''
  }

  /** The note for a site that is not a source, in the language of the text. */
  get sourceNote(): string {
    if (this.#note.opening !== this.#opening) this.#note = { opening: this.#opening, text: sourceNote(this.#opening) }
    return this.#note.text
  }

  /** True if a marker was written last. */
  get endsWithMarker(): boolean {
    return this.#marker !== undefined
  }

  /** Writes text. White space at its end is held back until more text follows. */
  write(text: string): void {
    const body = text.trimStart()
    this.#space += text.slice(0, text.length - body.length)
    if (body === '') return
    const solid = body.trimEnd()
    const settled = this.#settledSpace(body.charAt(0)) + solid
    this.#guard.write(settled)
    this.#tail = (this.#tail + settled).slice(-maxTail)
    if (this.#opening.length < maxOpening) this.#opening = (this.#opening + settled).slice(0, maxOpening)
    this.#space = body.slice(solid.length)
    this.#marker = undefined
  }

  /** A space, unless there is one. */
  separate(): void {
    if (this.#space === '') this.#space = ' '
  }

  /** Adds a marker, unless the same one comes right before it, or there are too many. */
  cite(number: number, source: Source): void {
    const isAgain = this.#marker === number && !`${this.#gap ?? ''}${this.#space}`.includes('\n')
    if (isAgain || this.#citations === maxCitations) {
      this.leaveOut()
      return
    }
    this.#citations++
    this.#guard.cite(this.#settledSpace('['), number, source)
    this.#tail = ']'
    this.#marker = number
  }

  /** Notes that something is missing here; the spaces around it are merged into one. */
  leaveOut(): void {
    this.#gap = this.#gap === undefined ? this.#space : wider(this.#gap, this.#space)
    this.#space = ''
  }

  /** Takes the finished output. */
  take(): GroundedPart[] {
    return this.#guard.take()
  }

  /** Takes the rest, when no more text comes. */
  finish(): GroundedPart[] {
    return this.#guard.finish()
  }

  #settledSpace(next: string): string {
    const space = this.#gap === undefined ? this.#space : this.#mended(this.#gap, this.#space, next)
    this.#space = ''
    this.#gap = undefined
    return space
  }

  /** The whitespace to write where something was left out between two pieces of whitespace. */
  #mended(before: string, after: string, next: string): string {
    if (this.last === '') return before
    if (before.includes('\n')) return after.includes('\n') ? wider(before, after) : before
    if (after !== '') return after
    if (/[.,;:!?)\]}'"”’»。，；：！？）】]/.test(next)) return ''
    return before || (isWord(this.last) && isWord(next) ? ' ' : '')
  }
}

/** Ten times what a long report has. */
const maxCitations = 1000
const maxTail = 80
const maxOpening = 1000

function isWord(char: string): boolean {
  return /[\p{L}\p{N}\ud800-\udfff]/u.test(char)
}

/** The one with more line breaks, otherwise the longer. */
function wider(first: string, second: string): string {
  const lines = (space: string) => space.split('\n').length
  const difference = lines(first) - lines(second) || first.length - second.length
  return difference < 0 ? second : first
}
