import { decodeHTMLStrict } from 'entities'
import type { Citation, SearchEvent } from '../../../domain/search.ts'
import { cleanWritten, InertText } from '../../../lib/text.ts'
import { readCodeSpan } from './code.ts'
import { Fences, type OpenFence } from './fences.ts'
import { isActiveAngle, LabelWatch, mayBeDestination } from './markup.ts'
import { type Reading, TextInput } from './text-input.ts'
import { UrlGuard } from './urls.ts'

/** The output of grounding: text, and the citations of the markers in it. */
export type GroundedPart = Extract<SearchEvent, { readonly type: 'text-delta' | 'citation' }>

/**
 * The last thing that an answer passes: to a CommonMark parser with HTML, what leaves holds no link, image, link
 * definition, autolink or HTML. It does not look for URLs but for what makes such a construct: a space behind the `<` of
 * a tag, and before the parenthesis or colon that follows a `]`, leaves plain text. Code stays, where it is code for sure.
 * An entity is replaced by its character if that has no meaning in Markdown.
 *
 * - The output does not depend on how the text was split into pieces.
 * - Text is held back for a word at most, for a code span of one line, and at the start of a line.
 */
export class MarkdownGuard {
  readonly #input = new TextInput()
  readonly #fences = new Fences()
  readonly #urls = new UrlGuard()
  readonly #label = new LabelWatch()
  readonly #work = this.#guard()
  #parts: GroundedPart[] = []
  #text = ''
  #length = 0
  #last = ''
  /** The text of this line behind its last marker. */
  #behindMarker: string | undefined
  #markers: (Pick<Citation, 'number' | 'url' | 'title'> & { readonly length: number; readonly end: number })[] = []
  /** Whether backticks before this place cannot be a part of a code span. */
  #spansAreClear = true

  write(text: string): void {
    this.#input.append(text)
  }

  /** The text that was written last, of this length, is a marker. */
  cite(citation: Pick<Citation, 'number' | 'url' | 'title'>, length: number): void {
    this.#markers.push({ ...citation, length, end: this.#input.end })
  }

  /** Takes the finished output. */
  take(): GroundedPart[] {
    this.#work.next()
    this.#emit(this.#input.at) // a marker of no length may stand here
    this.#flush()
    const parts = this.#parts
    this.#parts = []
    return parts
  }

  /** Takes the rest, when no more text comes. */
  finish(): GroundedPart[] {
    this.#input.finish()
    return this.take()
  }

  *#guard(): Reading<void> {
    const input = this.#input
    while ((yield* input.wait(input.at)) !== '') {
      const line = yield* this.#fences.readLine(input, input.at)
      if (line === 'blank') this.#spansAreClear = true
      if (typeof line === 'object') yield* this.#passFenced(line)
      else yield* this.#guardLine()
    }
  }

  *#passFenced(fence: OpenFence): Reading<void> {
    const input = this.#input
    yield* this.#passCodeLine()
    while ((yield* input.wait(input.at)) !== '') {
      const line = yield* this.#fences.readCode(input, input.at, fence)
      if (line === 'lost') return
      yield* this.#passCodeLine()
      if (line === 'close') break
    }
    this.#spansAreClear = true
  }

  *#passCodeLine(): Reading<void> {
    const input = this.#input
    for (;;) {
      this.#emit(input.find(/\n/g), true)
      const char = input.char(input.at) || (yield* input.wait(input.at))
      if (char === '\n') this.#emit(input.at + 1, true)
      if (char === '\n' || char === '') return
    }
  }

  *#guardLine(): Reading<void> {
    const input = this.#input
    for (;;) {
      const char = input.char(input.at) || (yield* input.wait(input.at))
      if (char === '') return
      this.#emit(input.at) // markers before what is put here
      if (char === '\n') {
        // Some clients show the text behind a marker alone, where a fence would open.
        this.#fences.isLost ||= /^[ \t>\-+*\d.)]*(?:`{3}|~{3})/.test(this.#behindMarker ?? '')
        this.#behindMarker = undefined
        return this.#emit(input.at + 1)
      }
      if (char === '`') yield* this.#guardTicks()
      else if (char === '\\') yield* this.#guardEscape()
      else if (char === '&') yield* this.#guardEntity()
      else if (char === '<') {
        const isActive = yield* isActiveAngle(input, input.at)
        this.#emit(input.at + 1)
        if (isActive) this.#insert(' ')
      } else if ((char === '(' && this.#last === ']') || (char === ':' && this.#label.isAtLabelEnd)) {
        if (yield* mayBeDestination(input, input.at)) this.#insert(' ')
        this.#emit(input.at + 1)
      } else this.#emit(Math.max(input.find(stop), input.at + 1))
    }
  }

  /** A span that is sure to be one passes. Any other backtick may pair with a later one, up to the next empty line. */
  *#guardTicks(): Reading<void> {
    const input = this.#input
    const isClear = this.#spansAreClear && !this.#urls.isOpen
    const span = isClear ? yield* readCodeSpan(input, input.at) : undefined
    // A bar may end a table's cell, a definition does not heed backticks, and some clients take out every `[1]`.
    const isSure = span && span.ticks.length < 15 && !/\||\]:|`{15}/.test(span.content)
    if (isSure && !/(?:^|`)\s*(?:\[\d+\]\s*)+(?:`|$)/.test(span.content)) return this.#emit(span.end, true)
    this.#spansAreClear = false
    this.#emit(input.at + 1)
  }

  *#guardEscape(): Reading<void> {
    const input = this.#input
    const next = yield* input.wait(input.at + 1)
    if (/^[!-/:-@[-`{-~]$/.test(next)) {
      this.#put(this.#urls.passAs('\\', ''))
      input.at++
      if (/[\\`&]/.test(next)) this.#emit(input.at + 1)
    } else this.#emit(input.at + 1)
  }

  *#guardEntity(): Reading<void> {
    const input = this.#input
    const entity = yield* readEntity(input, input.at)
    if (entity === undefined) return this.#emit(input.at + 1)
    const end = input.at + entity.length
    const char = decodeHTMLStrict(entity)
    const isPlain =
      char === '&' ? (yield* readEntity(input, end, '')) === undefined : /^(?:["']|[^\0-\x7f]+)$/.test(char)
    // An invisible character stays as its name only: raw, it would be cleaned away, and join what is around it.
    if (cleanWritten(char) === '') this.#put(this.#urls.passAs(entity, ''))
    else if (isPlain) this.#put(this.#urls.passAs(inert(char), char))
    else this.#put(this.#urls.passAs(entity, char))
    input.at = end
  }

  #insert(text: string): void {
    this.#put(this.#urls.pass(text))
  }

  #emit(end: number, isCode = false): void {
    const input = this.#input
    for (let marker = this.#markers[0]; marker && marker.end <= end; marker = this.#markers[0]) {
      const { length, end: markerEnd, ...citation } = marker
      this.#markers.shift()
      this.#put(this.#urls.pass(input.slice(input.at, markerEnd), isCode))
      input.at = markerEnd
      this.#flush()
      const place = { start: this.#length - length, end: this.#length }
      this.#parts.push({ type: 'citation', citation: { ...citation, ...place } })
      this.#behindMarker = ''
      this.#label.restart()
    }
    this.#put(this.#urls.pass(input.slice(input.at, end), isCode))
    input.at = end
  }

  #put(text: string): void {
    if (text === '') return
    this.#text += text
    this.#length += text.length
    this.#last = text.slice(-1)
    this.#label.push(text)
    if (this.#behindMarker !== undefined && this.#behindMarker.length < 200) this.#behindMarker += text
  }

  #flush(): void {
    if (this.#text) this.#parts.push({ type: 'text-delta', text: this.#text })
    this.#text = ''
  }
}

const stop = /[`\\<&\n]|\][(:]/g

/** Reads a complete entity; `undefined` when there is none, also when its name is unknown. */
function* readEntity(input: TextInput, from: number, start = '&'): Reading<string | undefined> {
  for (let end = from + start.length; end - from < maxEntityLength; end++) {
    const char = input.char(end) || (yield* input.wait(end))
    if (char === ';') {
      const entity = `&${input.slice(from + start.length, end + 1)}`
      return decodeHTMLStrict(entity) === entity ? undefined : entity
    }
    if (!/^[\da-z#]$/i.test(char)) return undefined
  }
  return undefined
}

const maxEntityLength = 40

/** No character of an entity may become a space or nothing: that would part or join what was read. */
function inert(char: string): string {
  const text = new InertText()
  return (text.push(char) + text.end()).replaceAll(' ', '\ufffd')
}
