import { cleanWritten } from '@csp/lib/text'
import { decodeHTMLStrict } from 'entities'
import { isActiveFence, maxActiveFence } from './active-fences.ts'
import { endOfRun, readCodeSpan } from './code.ts'
import { isActiveContainer } from './containers.ts'
import { inert, readEntity } from './entity.ts'
import { isShownAsText } from './fence-languages.ts'
import { type OpenFence, readFencedLine, readLineStart } from './fences.ts'
import type { Citation, GroundedPart } from './grounded-part.ts'
import {
  formulaStarts,
  isActiveAngle,
  isActiveCommand,
  isStyleEscape,
  LabelWatch,
  mayBeDestination,
  startsWithAny,
} from './markup.ts'
import { type Reading, TextInput } from './text-input.ts'
import { UrlGuard } from './urls.ts'

/**
 * The last thing that an answer passes: to each reader of Markdown that ADR 23 names, what leaves holds no link, image,
 * link definition, autolink or HTML. It does not look for URLs but for what makes such a construct: a space behind the `<`
 * of a tag, and before the parenthesis or colon that follows a `]`, leaves plain text. Code stays where it is code to all
 * of them and none renders it. An entity is replaced by its character if that has no meaning in Markdown.
 * A fence that is open at the end is closed.
 *
 * The output does not depend on how the text was split into pieces. Text is held back for a word at most, for a code span
 * of one line, and at the start of a line.
 */
export class MarkdownGuard {
  readonly #input = new TextInput()
  readonly #urls = new UrlGuard()
  readonly #label = new LabelWatch()
  readonly #work = this.#guard()
  #parts: GroundedPart[] = []
  #text = ''
  #length = 0
  #last = ''
  #markers: (Pick<Citation, 'number' | 'url' | 'title'> & { readonly length: number; readonly end: number })[] = []
  /** Whether nothing in this paragraph so far may take a part of a code span into something else. */
  #spansAreClear = true
  /** Whether the line before is text: a rule behind it makes it a heading to marked 9, with fences in between. */
  #isInParagraph = false
  #isFenced = false
  /** Whether there was a marker in this line. */
  #isMarked = false
  /** Whether a formula may be open, which ends with the paragraph. */
  #mayBeFormula = false
  /** Whether a formula or a directive may be open, of which some readers find the end much later. */
  #mayBeOpen = false

  write(text: string): void {
    this.#input.append(text)
  }

  /** What was written last, of this length, is a marker. */
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

  finish(): GroundedPart[] {
    this.#input.finish()
    return this.take()
  }

  *#guard(): Reading<void> {
    const input = this.#input
    while ((yield* input.wait(input.at)) !== '') {
      const line = yield* readLineStart(input, input.at)
      if (line === 'blank') {
        this.#spansAreClear = !this.#mayBeOpen
        this.#mayBeFormula = this.#mayBeOpen
      }
      const isFence = typeof line === 'object' && line.isCertain && !this.#hasMarker(line.lineEnd)
      if (isFence) yield* this.#guardFenced(line)
      else yield* this.#guardLine()
      this.#isInParagraph = !isFence && line !== 'blank'
    }
  }

  *#guardFenced(fence: OpenFence): Reading<void> {
    const input = this.#input
    const { ticks, column, language } = fence
    const isCode = column === 0 && ticks.startsWith('`') && !this.#mayBeOpen && isShownAsText(language)
    this.#spansAreClear = false
    if (this.#isInParagraph) this.#insert('\n')
    const isActive = !isShownAsText(language) && (yield* this.#isActive(fence))
    this.#mayBeFormula ||= !isActive && !isShownAsText(language)
    this.#emit(isActive ? fence.end : fence.languageEnd, true)
    // Showdown takes no fence for one that has words behind its language, or a space.
    input.at = fence.lineEnd
    yield* this.#passCodeLine()
    let isEmpty = true
    this.#isFenced = true
    while ((yield* input.wait(input.at)) !== '') {
      const line = yield* readFencedLine(input, input.at, fence)
      if (line === 'outside') break
      if (typeof line === 'object' && !this.#hasMarker(line.lineEnd)) {
        this.#isFenced = false
        if (isEmpty) this.#insert('\n') // showdown sees no end right behind the beginning
        return yield* this.#passCodeLine()
      }
      isEmpty = false
      if (line === 'run' || typeof line === 'object') {
        this.#emit(input.find(/[`~]/g) + 2, isCode)
        this.#insert(' ')
      }
      if (isCode) yield* this.#passCodeLine()
      else yield* this.#guardLine()
    }
    this.#isFenced = false
    this.#emit(input.at)
    this.#insert(
      `${this.#last === '\n' && !this.#isMarked ? '' : '\n'}${isEmpty ? '\n' : ''}${' '.repeat(column)}${ticks}`,
    )
    if (input.char(input.at) !== '') this.#insert('\n')
  }

  /** Whether a fence would act where a client renders it. Waits for its end, within limits. */
  *#isActive(fence: OpenFence): Reading<boolean> {
    const input = this.#input
    const from = fence.lineEnd + 1
    let at = from
    while ((yield* input.wait(at)) !== '') {
      const line = yield* readFencedLine(input, at, fence)
      // Where a marker stands in the last line, the fence goes on.
      if (line === 'outside' || (typeof line === 'object' && !this.#hasMarker(line.lineEnd))) break
      for (let char = input.char(at); char !== '\n' && char !== ''; char = yield* input.wait(at)) at++
      at++
      if (at - from > maxActiveFence) return true
    }
    return isActiveFence(fence.language, input.slice(from, at))
  }

  /** Whether there is a marker in this line, up to an index: with it or without it, no fence is certain. */
  #hasMarker(end: number): boolean {
    const next = this.#markers[0]
    return this.#isMarked || (next !== undefined && next.end <= end)
  }

  *#passCodeLine(): Reading<void> {
    const input = this.#input
    for (;;) {
      this.#emit(input.find(/\n/g), true)
      const char = input.char(input.at) || (yield* input.wait(input.at))
      if (char === '\n') this.#emit(input.at + 1)
      if (char === '\n' || char === '') return
    }
  }

  *#guardLine(): Reading<void> {
    const input = this.#input
    for (;;) {
      const char = input.char(input.at) || (yield* input.wait(input.at))
      if (char === '') return
      this.#emit(input.at) // markers before what is put here
      if (char === '\n') return this.#emit(input.at + 1)
      if (char === '`') yield* this.#guardTicks()
      else if (char === '\\') yield* this.#guardEscape()
      else if (char === '&') yield* this.#guardEntity()
      else if (char === '~' || char === '$') yield* this.#guardRun(char)
      else if (char === '<') {
        this.#spansAreClear = false
        const isActive = yield* isActiveAngle(input, input.at)
        this.#emit(input.at + 1)
        if (isActive) this.#insert(' ')
      } else if (char === ':' && (yield* this.#isActiveColon(input.at + 1))) {
        this.#insert(' ')
        this.#emit(input.at + 1)
      } else if (char === '(' && this.#mayBeFormula && this.#urls.isAtStyleUrl) {
        this.#insert(' ')
        this.#emit(input.at + 1)
      } else if (char === ':' && this.#label.mayBeAtHead && (yield* input.startsWith(':::', input.at))) {
        yield* this.#guardColons()
      } else if ((char === '(' && this.#last === ']') || (char === ':' && this.#label.endsWithLabel(this.#mayBeOpen))) {
        if (yield* mayBeDestination(input, input.at)) this.#insert(' ')
        this.#emit(input.at + 1)
      } else this.#emit(Math.max(input.find(stop), input.at + 1))
    }
  }

  /** Whether the colon before an index ends a scheme that acts. `https://` is left to what knows whole addresses. */
  *#isActiveColon(next: number): Reading<boolean> {
    const input = this.#input
    const scheme = this.#urls.activeScheme
    if (scheme === 'none' || !/\S/.test(yield* input.wait(next))) return false
    return scheme === 'script' || !(yield* input.startsWith('//', next))
  }

  /** With a space in it, a run of colons opens no container. */
  *#guardColons(): Reading<void> {
    const input = this.#input
    const end = yield* endOfRun(input, input.at, ':', maxColons)
    if (yield* isActiveContainer(input, end)) {
      this.#emit(input.at + 2)
      this.#insert(' ')
    }
    this.#emit(end)
  }

  /** A span passes that is one to every reader, also where markers are taken out. Other backticks may pair with later ones. */
  *#guardTicks(): Reading<void> {
    const input = this.#input
    const isClear = this.#spansAreClear && !this.#urls.isOpen
    const span = isClear ? yield* readCodeSpan(input, input.at) : undefined
    const marker = this.#markers[0]
    const isCut = marker !== undefined && span !== undefined && marker.length > 0 && marker.end < span.end
    // A bar may end a table's cell, a definition does not heed backticks, and dialects cut their text at citations.
    if (span?.ticks === '`' && !isCut && !/[|`]|\]:/.test(span.content)) return this.#emit(span.end, true)
    yield* this.#guardRun('`')
  }

  /** What opens code, formulas and what is struck through, in one way or another. */
  *#guardRun(char: string): Reading<void> {
    const input = this.#input
    const end = yield* endOfRun(input, input.at, char)
    this.#spansAreClear = false
    if (char === '$') this.#mayBeFormula = true
    if (char === '$') this.#mayBeOpen ||= end - input.at > 1 || (yield* input.wait(end)) === '\n'
    else if (end - input.at > 2 && !this.#isFenced && this.#label.mayBeAtHead) {
      // With a space in it, it is no fence to any reader.
      this.#emit(input.at + 2)
      this.#insert(' ')
    }
    this.#emit(end)
  }

  *#guardEscape(): Reading<void> {
    const input = this.#input
    const next = yield* input.wait(input.at + 1)
    this.#spansAreClear = false
    this.#mayBeOpen ||= yield* startsWithAny(input, input.at + 1, formulaStarts)
    this.#mayBeFormula ||= this.#mayBeOpen
    // A browser that renders formulas sees one backslash where two are written.
    const isActive = yield* this.#isActiveEscape(input.at + (next === '\\' ? 2 : 1))
    if (/^[!-/:-@[-`{-~]$/.test(next)) {
      this.#put(this.#urls.passAs('\\', ''))
      input.at++
      if (/[\\`&]/.test(next)) this.#emit(input.at + 1)
    } else this.#emit(input.at + 1)
    if (isActive) this.#insert(' ')
  }

  /** Whether what follows a backslash acts in a formula. */
  *#isActiveEscape(from: number): Reading<boolean> {
    if (yield* isActiveCommand(this.#input, from)) return true
    return this.#mayBeFormula && (yield* isStyleEscape(this.#input, from))
  }

  *#guardEntity(): Reading<void> {
    const input = this.#input
    const entity = yield* readEntity(input, input.at)
    if (entity === undefined) return this.#emit(input.at + 1)
    const [end, char] = [input.at + entity.length, decodeHTMLStrict(entity)]
    const isPlain =
      char === '&' ? (yield* readEntity(input, end, '')) === undefined : /^(?:["']|[^\0-\x7f]+)$/.test(char)
    // Not every reader sees white space or a colon there, but the browser behind it does, or sees through them.
    const isParted = /^[\t-\r ]$/.test(char)
      ? !/\s/.test(this.#last)
      : (char === ':' && (yield* this.#isActiveColon(end))) || (/^\w$/.test(char) && this.#urls.isInCommand)
    if (isParted) this.#insert(' ')
    // Raw, an invisible character would be cleaned away and join what is around it. Behind `www.`, its name is a host.
    if (cleanWritten(char) === '') this.#put(this.#urls.isOpen ? '' : this.#urls.passAs(entity, ''))
    else this.#put(this.#urls.passAs(isPlain ? inert(char) : entity, char))
    input.at = end
    if (char === '\\' && (yield* this.#isActiveEscape(end))) this.#insert(' ')
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
      this.#isMarked = true
      this.#label.restart()
    }
    this.#put(this.#urls.pass(input.slice(input.at, end), isCode))
    input.at = end
  }

  #put(text: string): void {
    if (text === '') return
    if (text.includes('\n')) this.#isMarked = false
    this.#text += text
    this.#length += text.length
    this.#last = text.slice(-1)
    this.#label.push(text)
  }

  #flush(): void {
    if (this.#text) this.#parts.push({ type: 'text-delta', text: this.#text })
    this.#text = ''
  }
}

const maxColons = 50
const stop = /[`\\<&\n~$:]|[\]l]\(/gi
