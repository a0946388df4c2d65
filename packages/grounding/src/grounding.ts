import { CleanText } from '@csp/lib/text'
import { hostAtEnd, readPath, readShare } from './bare-addresses.ts'
import { endOfRun, readCodeSpan } from './code.ts'
import { type OpenFence, readFencedLine, readLineStart } from './fences.ts'
import type { GroundedPart } from './grounded-part.ts'
import { GroundedText } from './grounded-text.ts'
import { type Source, SourceIndex } from './source-index.ts'
import { readSourceList } from './source-list.ts'
import { type Reading, TextInput } from './text-input.ts'
import { codeStop, proseStart, proseStop, readToken, readUrl, type Token } from './tokens.ts'
import { siteOf, skipUrl } from './urls.ts'

/**
 * Grounds an answer in its sources while it streams. The text is cleaned first, so that what is judged is what is read.
 * No URL gets out: the URL of a source becomes that source's `[n]` marker, any other is removed, and its label or the name
 * of its site stays. Markers without a source are removed, and so is a list of sources at
 * the very end, unless there is nothing else.
 *
 * - The output does not depend on how the text was split into pieces.
 * - Text is held back only while a link, URL, marker, code span or source list may still be open, and each of these has
 *   a maximum length. In prose that is a few characters.
 * - In code, URLs are treated the same, but no number is a citation, and `[0]` stays.
 * - Markers beyond the 1,000th citation are left out: each is compared, kept and sent by itself.
 * - Offsets count the output, from the first `push` on.
 */
export class Grounding {
  readonly #sources = new SourceIndex()
  readonly #clean = new CleanText()
  readonly #input = new TextInput()
  readonly #output = new GroundedText()
  readonly #work = this.#ground()
  /** No source list begins before this index. */
  #listFreeUntil = 0
  /** The sources of the open `<a>`. */
  #anchor: readonly number[] = []

  /** Results may come at any time; they apply to text that is not out yet. */
  addSources(results: readonly Source[]): void {
    this.#sources.add(results)
  }

  /** Takes the next piece of the text, cut anywhere. Returns the text and citations that are ready, in order. */
  push(text: string): GroundedPart[] {
    this.#input.append(this.#clean.push(text))
    this.#work.next()
    return this.#output.take()
  }

  /** Flushes buffered text. Call it once, after the last `push`. */
  end(): GroundedPart[] {
    this.#input.append(this.#clean.end())
    this.#input.finish()
    this.#work.next()
    return this.#output.finish()
  }

  *#ground(): Reading<void> {
    const input = this.#input
    while ((yield* input.wait(input.at)) !== '') {
      const line = yield* readLineStart(input, input.at)
      if (typeof line === 'object') yield* this.#groundFenced(line)
      else if (yield* this.#atSourceList()) return
      else yield* this.#groundProse(input)
    }
  }

  *#atSourceList(): Reading<boolean> {
    if (this.#output.last === '' || this.#input.at < this.#listFreeUntil) return false
    const found = yield* readSourceList(this.#input, this.#input.at)
    if (found === 'end') return true
    this.#listFreeUntil = found
    return false
  }

  /** Reads up to the end of the line, or of a link label. */
  *#groundProse(input: TextInput): Reading<void> {
    for (;;) {
      this.#write(input, input.find(proseStop))
      const char = yield* input.wait(input.at)
      if (char === '') return
      if (char === '\\' && (yield* this.#groundShare(input, true))) continue
      if (char === '\\' && /^[!-/:-@[-`{-~]$/.test(yield* input.wait(input.at + 1))) this.#write(input, input.at + 2)
      else if (char === '`') yield* this.#groundSpan(input)
      else if (char === '\n') return this.#write(input, input.at + 1)
      else if ('/?#'.includes(char)) yield* this.#groundPath(input)
      else if (proseStart.test(char)) yield* this.#groundToken(input, yield* readToken(input, input.at, this.#sources))
    }
  }

  *#groundFenced(fence: OpenFence): Reading<void> {
    const input = this.#input
    this.#write(input, fence.end)
    while (yield* this.#groundCodeLine(input)) {
      const line = yield* readFencedLine(input, input.at, fence)
      if (line === 'outside') return
      if (typeof line !== 'object') continue
      yield* this.#groundCodeLine(input)
      return
    }
  }

  /** Returns whether another line follows. */
  *#groundCodeLine(input: TextInput): Reading<boolean> {
    for (;;) {
      this.#write(input, input.find(codeStop))
      const char = yield* input.wait(input.at)
      if (char === '') return false
      if (char === '\\' && (yield* this.#groundShare(input, false))) continue
      const token = char === '\n' ? undefined : yield* readUrl(input, input.at, this.#sources)
      if (token?.type === 'url') this.#nameInCode(input, token)
      else yield* this.#groundToken(input, token)
      if (char === '\n') return true
    }
  }

  /** A number in code is no citation: a dialect that cuts its text at citations would cut the code. */
  #nameInCode(input: TextInput, { numbers, end }: Extract<Token, { type: 'url' | 'marker' | 'group' }>): void {
    const names = numbers.map((number) => `[${number}]`).join('')
    this.#output.write(names || siteOf(input.slice(input.at, end)))
    input.at = end
  }

  *#groundSpan(input: TextInput): Reading<void> {
    const span = yield* readCodeSpan(input, input.at)
    if (!span) return this.#write(input, yield* endOfRun(input, input.at, '`'))
    const content = TextInput.of(span.content)
    const only = yield* readUrl(content, 0, this.#sources)
    if (only?.end === span.content.length) yield* this.#groundToken(content, only)
    else {
      this.#output.write(span.ticks)
      yield* this.#groundCodeLine(content)
      this.#output.write(span.ticks)
    }
    input.at = span.end
  }

  *#groundToken(input: TextInput, token: Token | undefined): Reading<void> {
    if (!token) return this.#write(input, input.at + 1)
    switch (token.type) {
      case 'marker':
      case 'group':
        this.#cite(token.numbers)
        break
      case 'url':
        this.#citeOrName(token.numbers, input.slice(input.at, token.end))
        break
      case 'link':
        yield* this.#groundLink(input, token)
        break
      case 'words':
        yield* this.#groundLabel(token.label)
        break
      case 'tag':
        if (token.text === ' ') this.#output.separate()
        else this.#output.write(token.text)
        break
      case 'anchor':
        this.#anchor = token.numbers
        break
      case 'anchor-end':
        if (this.#anchor.length > 0) this.#citeAfterLabel(this.#anchor)
        this.#anchor = []
        break
      case 'endless':
        this.#output.leaveOut()
        input.at = token.end
        return yield* skipUrl(input)
    }
    input.at = token.end
  }

  *#groundLink(input: TextInput, { label, kind, numbers, end }: Extract<Token, { type: 'link' }>): Reading<void> {
    const known = numbers.length > 0
    const isMarkerOnly = kind === 'number' || (known && kind === 'pointer')
    if (kind === 'address') return this.#citeOrName(numbers, label)
    if (isMarkerOnly || (kind === 'title' && (yield* this.#endsSentence(input, end)))) return this.#cite(numbers)
    yield* this.#groundLabel(label)
    if (known) this.#citeAfterLabel(numbers)
    else if (kind === 'pointer') this.#note(hostAtEnd(this.#output.touched))
  }

  /** An address without a scheme, of which the name is written already. */
  *#groundPath(input: TextInput): Reading<void> {
    const site = hostAtEnd(this.#output.touched)
    const path = site === '' ? undefined : yield* readPath(input, input.at)
    if (!path) return this.#write(input, input.at + 1)
    const number = this.#sources.numberOf(site + path.text)
    input.at = path.end
    if (path.endless) yield* skipUrl(input)
    if (number === undefined) this.#note(site)
    else this.#citeAfterLabel([number])
  }

  /** A path to a share leaves its host's name; one in the reader's own network is parted. Returns whether there is one. */
  *#groundShare(input: TextInput, isProse: boolean): Reading<boolean> {
    const share = yield* readShare(input, input.at, this.#output.touched)
    if (!share) return false
    this.#output.write(share.host || `${share.slashes} `)
    if (isProse) this.#note(share.host)
    input.at = share.end
    return true
  }

  /** Whether a link is alone between a finished sentence and the end of its line. */
  *#endsSentence(input: TextInput, from: number): Reading<boolean> {
    if (!this.#output.endsWithMarker && !/[.!?。！？]/.test(this.#output.last)) return false
    let index = from
    while (index - from < 8 && (yield* input.wait(index)) === ' ') index++
    return ['', '\n', '['].includes(yield* input.wait(index))
  }

  *#groundLabel(label: string): Reading<void> {
    if (label.trim() === '') return this.#output.leaveOut()
    // Brackets were escaped because they stood in a link.
    const input = TextInput.of(label.replace(/\\([[\]])/g, '$1'))
    while (input.char(input.at) !== '') yield* this.#groundProse(input)
  }

  #citeAfterLabel(numbers: readonly number[]): void {
    this.#output.separate()
    this.#cite(numbers)
  }

  #cite(numbers: readonly number[]): void {
    if (numbers.length === 0) this.#output.leaveOut()
    for (const number of numbers) {
      const source = this.#sources.at(number)
      if (source) this.#output.cite(number, source)
    }
  }

  /** A URL of no source leaves the name of its site, so that its sentence stays whole, and says what that is. */
  #citeOrName(numbers: readonly number[], url: string): void {
    const site = numbers.length > 0 ? '' : siteOf(url)
    if (site === '') this.#cite(numbers)
    else this.#output.write(site)
    this.#note(site)
  }

  /** Says behind the name of a site that no page of it is a source. */
  #note(site: string): void {
    if (site !== '' && !this.#sources.hasSite(site)) this.#output.write(` ${this.#output.sourceNote}`)
  }

  #write(input: TextInput, end: number): void {
    this.#output.write(input.slice(input.at, end))
    input.at = end
  }
}
