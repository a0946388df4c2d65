import type { SearchEvent, SearchResult } from '../../../domain/search.ts'
import { UrlGuard } from './urls.ts'

/** The output of grounding: text, and the citations of the markers in it. */
export type GroundedPart = Extract<SearchEvent, { readonly type: 'text-delta' | 'citation' }>

/**
 * The output text: counts its length, places the markers, and repairs the spaces where something was left out.
 * Whitespace is held back until something follows it, so the text never ends with whitespace.
 */
export class GroundedText {
  readonly #guard = new UrlGuard()
  #parts: GroundedPart[] = []
  #text = ''
  #length = 0
  #last = ''
  #space = ''
  /** The whitespace before the part that was just left out. */
  #gap: string | undefined
  #marker: number | undefined

  /** The last character that is not whitespace; `''` while there is none. */
  get last(): string {
    return this.#last
  }

  /** Whether the next text would touch the last word. */
  get touches(): boolean {
    return this.#space === '' && this.#gap === undefined && /[\p{L}\p{N}]/u.test(this.#last)
  }

  get endsWithMarker(): boolean {
    return this.#marker !== undefined
  }

  write(text: string): void {
    const body = text.trimStart()
    this.#space += text.slice(0, text.length - body.length)
    if (body === '') return
    const solid = body.trimEnd()
    this.#settleSpace(body.charAt(0))
    this.#emit(solid)
    this.#last = solid.slice(-1)
    this.#space = body.slice(solid.length)
    this.#marker = undefined
  }

  /** A space, unless there is one. */
  separate(): void {
    if (this.#space === '') this.#space = ' '
  }

  /** Adds a marker, unless the same one comes right before it. */
  cite(number: number, { url, title }: Pick<SearchResult, 'url' | 'title'>): void {
    if (this.#marker === number && !`${this.#gap ?? ''}${this.#space}`.includes('\n')) {
      this.leaveOut()
      return
    }
    const marker = `[${number}]`
    this.write(marker)
    const citation = { number, url, title, start: this.#length - marker.length, end: this.#length }
    this.#flush('')
    this.#parts.push({ type: 'citation', citation })
    this.#marker = number
  }

  /** Notes that something is missing here; the spaces around it are merged into one. */
  leaveOut(): void {
    this.#gap = this.#gap === undefined ? this.#space : wider(this.#gap, this.#space)
    this.#space = ''
  }

  /** Takes the finished output. Half a surrogate pair waits for its other half. */
  take(): GroundedPart[] {
    const half = /[\ud800-\udbff]$/.exec(this.#text)?.[0] ?? ''
    this.#flush(half)
    const parts = this.#parts
    this.#parts = []
    return parts
  }

  /** Takes the rest, when no more text comes. */
  finish(): GroundedPart[] {
    this.#flush('')
    return this.take()
  }

  #settleSpace(next: string): void {
    if (this.#gap === undefined) this.#emit(this.#space)
    else this.#emit(this.#mended(this.#gap, this.#space, next))
    this.#space = ''
    this.#gap = undefined
  }

  /** The whitespace to write where something was left out between two pieces of whitespace. */
  #mended(before: string, after: string, next: string): string {
    if (this.#length === 0) return before
    if (before.includes('\n')) return after.includes('\n') ? wider(before, after) : before
    if (after !== '') return after
    if (/[.,;:!?)\]}'"”’»。，；：！？）】]/.test(next)) return ''
    return before || (isWord(this.#last) && isWord(next) ? ' ' : '')
  }

  #emit(text: string): void {
    const safe = this.#guard.pass(text)
    this.#text += safe
    this.#length += safe.length
  }

  #flush(keep: string): void {
    const text = keep ? this.#text.slice(0, -keep.length) : this.#text
    if (text) this.#parts.push({ type: 'text-delta', text })
    this.#text = keep
  }
}

function isWord(char: string): boolean {
  return /[\p{L}\p{N}\ud800-\udfff]/u.test(char)
}

/** The one with more line breaks, otherwise the longer. */
function wider(first: string, second: string): string {
  const lines = (space: string) => space.split('\n').length
  const difference = lines(first) - lines(second) || first.length - second.length
  return difference < 0 ? second : first
}
