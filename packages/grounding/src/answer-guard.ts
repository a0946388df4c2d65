import { finished, type Pieces } from '@csp/lib/pieces'
import type { GroundedPart } from './grounded-part.ts'
import { MarkdownGuard } from './markdown-guard.ts'
import type { Source } from './source-index.ts'

/** A text as it may leave that was made of an answer or a page: a sentence, a quotation, a passage. */
export function guardedText(text: string): string {
  return finished(guardingText(text))
}

/** The same in pieces, between which others may work. */
export function* guardingText(text: string): Pieces<string> {
  const guard = new MarkdownGuard()
  const parts: GroundedPart[] = []
  for (let start = 0; start < text.length; start += maxPiece) {
    guard.write(text.slice(start, start + maxPiece))
    parts.push(...guard.take())
    yield
  }
  parts.push(...guard.finish())
  return parts.reduce((whole, part) => (part.type === 'text-delta' ? whole + part.text : whole), '')
}

const maxPiece = 1000

/** What may be taken out of an answer: a marker of a source, or a number in code that looks like one. */
interface Marker {
  readonly text: string
  readonly number: number
  readonly source: Source | undefined
}

/**
 * Guards an answer twice: as it reads without its `[n]` markers and the spaces before them, which several dialects and
 * many clients take out, and then with them. So no marker parts the halves of an address or a tag.
 */
export class AnswerGuard {
  readonly #bare = new MarkdownGuard()
  readonly #marked = new MarkdownGuard()
  /** The markers that are on their way, with the spaces before them. */
  readonly #markers: Marker[] = []
  /** The end of what was written, which may become a marker. */
  #held = ''

  /** Takes the next piece of grounded text. */
  write(text: string): void {
    const whole = this.#held + text
    const held = maybeMarker.exec(whole.slice(-maxHeld))?.[0] ?? ''
    this.#held = held
    this.#write(held === '' ? whole : whole.slice(0, -held.length))
  }

  /** Writes a marker behind a space, which is empty or white. A line break stays where a marker is taken out. */
  cite(space: string, number: number, source: Source): void {
    this.#release()
    const isBreak = space.includes('\n')
    if (isBreak) this.#bare.write(space)
    this.#mark(isBreak ? '' : space, `[${number}]`, source)
  }

  /** Takes the finished output. */
  take(): GroundedPart[] {
    this.#pass(this.#bare.take())
    return this.#marked.take()
  }

  /** Takes the rest, when no more text comes. */
  finish(): GroundedPart[] {
    this.#release()
    this.#pass(this.#bare.finish())
    return this.#marked.finish()
  }

  #release(): void {
    this.#bare.write(this.#held)
    this.#held = ''
  }

  #write(text: string): void {
    let from = 0
    if (text.includes('[')) {
      for (const { 0: whole, 1: space = '', 2: marker = '', index } of text.matchAll(likeMarker)) {
        this.#bare.write(text.slice(from, index))
        this.#mark(space, marker, undefined)
        from = index + whole.length
      }
    }
    this.#bare.write(text.slice(from))
  }

  #mark(space: string, marker: string, source: Source | undefined): void {
    const number = Number(marker.slice(1, -1))
    this.#markers.push({ text: space + marker, number, source })
    this.#bare.cite({ number, url: '', title: '' }, 0)
  }

  #pass(parts: readonly GroundedPart[]): void {
    for (const part of parts) {
      if (part.type === 'text-delta') {
        this.#marked.write(part.text)
        continue
      }
      const { text = '', number = 0, source } = this.#markers.shift() ?? {}
      this.#marked.write(text)
      if (source) this.#marked.cite({ number, url: source.url, title: source.title }, `[${number}]`.length)
    }
  }
}

const likeMarker = /([ \t]{0,100})(\[\d{1,20}\])/g
const maybeMarker = /[ \t]*\[\d{0,20}$|[ \t]+$/
const maxHeld = 130
