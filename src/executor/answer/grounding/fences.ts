import type { Reading, TextInput } from './text-input.ts'

/** The line that opens a fenced block. Columns count from 0. */
export interface OpenFence {
  readonly char: string
  readonly length: number
  /** The index after its run of backticks or tildes. */
  readonly end: number
  /** Its column: a line that is indented less may be outside of the list item that the block is in. */
  readonly column: number
  /** From this column on a fence does not close the block. */
  readonly closesBefore: number
}

/**
 * Finds the fenced code blocks of a text, line by line, as CommonMark does. It reports a block only where there can be
 * no other reading; from the first place where there can be, it reports none at all (`isLost`), since a fence that is
 * missed would turn code and text round.
 */
export class Fences {
  isLost = false
  /** The list items that are open for sure, and the columns where their markers and contents begin. */
  #items: { readonly marker: number; readonly content: number }[] = []
  #isAfterBlank = true

  #lose(): 'lost' {
    this.isLost = true
    return 'lost'
  }

  /** Reads the start of a line. Returns the block that it opens, `'blank'` for an empty line, otherwise `'text'`. */
  *readLine(input: TextInput, from: number): Reading<OpenFence | 'blank' | 'text'> {
    const { column, end, hasTab } = yield* readIndent(input, from, 0)
    const char = input.char(end) || (yield* input.wait(end))
    const isAfterBlank = this.#isAfterBlank
    this.#isAfterBlank = char === '\n' || char === ''
    if (this.#isAfterBlank) return 'blank'
    if (this.isLost) return 'text'
    const sibling = this.#items.find(({ content }) => content > column)
    this.#items = hasTab ? [] : this.#items.filter(({ content }) => content <= column)
    const start = hasTab
      ? { column, end }
      : yield* this.#readMarkers(input, { column, end }, isAfterBlank || sibling?.marker === column)
    return (yield* this.#readFence(input, start, hasTab)) ?? 'text'
  }

  /** Reads the start of a line in a block. Returns whether it closes the block, or may be outside of it. */
  *readCode(input: TextInput, from: number, fence: OpenFence): Reading<'code' | 'close' | 'lost'> {
    const { column, end } = yield* readIndent(input, from, 0)
    const char = input.char(end) || (yield* input.wait(end))
    if (char === '\n' || char === '') return 'code'
    if (column < fence.column) return this.#lose()
    if (char !== fence.char) return 'code'
    const close = yield* endOfRun(input, end, char)
    if (close - end < fence.length) return 'code'
    const rest = yield* readIndent(input, close, 0)
    if (!['\n', ''].includes(yield* input.wait(rest.end))) return rest.end - close < maxIndent ? 'code' : this.#lose()
    this.#isAfterBlank = true
    return column < fence.closesBefore ? 'close' : this.#lose()
  }

  /** Reads the markers of list items, and remembers those that can be nothing else. */
  *#readMarkers(input: TextInput, from: Place, mayCount: boolean): Reading<Place> {
    if (yield* isRule(input, from.end)) return from
    let place = from
    for (;;) {
      const base = this.#items.at(-1)?.content ?? 0
      const length = place.column - base > 3 ? 0 : yield* markerLength(input, place.end)
      if (length === 0) return place
      const first = input.slice(place.end, place.end + length)
      const column = place.column + length
      const indent = yield* readIndent(input, place.end + length, column)
      const isEmpty = ['\n', ''].includes(yield* input.wait(indent.end))
      const isCertain = !/^\d/.test(first) || mayCount || Number.parseInt(first, 10) === 1
      if (isEmpty || indent.hasTab || indent.column === column || !isCertain) return place
      const isDeep = indent.column - column > 4
      this.#items.push({ marker: place.column, content: isDeep ? column + 1 : indent.column })
      if (isDeep) return indent
      place = indent
    }
  }

  *#readFence(input: TextInput, { column, end }: Place, hasTab: boolean): Reading<OpenFence | undefined> {
    const start = yield* endOfPrefix(input, end)
    const char = start === undefined ? '' : yield* input.wait(start)
    if (start === undefined) this.isLost = true
    if (start === undefined || (char !== '`' && char !== '~')) return undefined
    const after = yield* endOfRun(input, start, char)
    if (after - start < 3) return undefined
    const info = yield* readInfo(input, after, char)
    if (info === 'ticks') return undefined
    const base = this.#items.at(-1)?.content ?? 0
    if (info === 'unclear' || after - start >= maxRun || hasTab || start !== end || column - base > 3) {
      this.isLost = true
      return undefined
    }
    return { char, length: after - start, end: after, column, closesBefore: base + 4 }
  }
}

interface Place {
  readonly column: number
  readonly end: number
}

const maxIndent = 200
const maxPrefix = 100
const maxRun = 100
const maxInfo = 100

function* readIndent(input: TextInput, from: number, first: number): Reading<Place & { readonly hasTab: boolean }> {
  let column = first
  let end = from
  let hasTab = false
  for (; end - from < maxIndent; end++) {
    const char = input.char(end) || (yield* input.wait(end))
    if (char !== ' ' && char !== '\t') break
    hasTab ||= char === '\t'
    column += char === '\t' ? 4 - (column % 4) : 1
  }
  return { column, end, hasTab }
}

function* endOfRun(input: TextInput, from: number, char: string): Reading<number> {
  let end = from
  while (end - from < maxRun && (yield* input.wait(end)) === char) end++
  return end
}

/** Whether the line is a thematic break: `- - -`. */
function* isRule(input: TextInput, from: number): Reading<boolean> {
  const char = yield* input.wait(from)
  if (char !== '-' && char !== '*') return false
  let count = 0
  for (let end = from; end - from < maxIndent; end++) {
    const next = input.char(end) || (yield* input.wait(end))
    if (next === '\n' || next === '') return count >= 3
    if (next === char) count++
    else if (next !== ' ' && next !== '\t') return false
  }
  return false
}

/** The length of a list marker at an index; 0 when there is none. */
function* markerLength(input: TextInput, from: number): Reading<number> {
  let end = from
  while (end - from < 9 && /^\d$/.test(yield* input.wait(end))) end++
  if (!(end > from ? /^[.)]$/ : /^[-+*]$/).test(yield* input.wait(end))) return 0
  return /^\s?$/.test(yield* input.wait(end + 1)) ? end + 1 - from : 0
}

/** The index after whatever may stand before a block; `undefined` when that is too much to tell. */
function* endOfPrefix(input: TextInput, from: number): Reading<number | undefined> {
  let spaced = false
  for (let end = from; end - from < maxPrefix; end++) {
    const char = input.char(end) || (yield* input.wait(end))
    if (!/^[ \t>\-+*\d.)]$/.test(char)) return end
    spaced ||= /[ \t>]/.test(char)
  }
  return spaced ? undefined : from
}

/**
 * What stands behind a fence. Other backticks make those of a fence a code span. A bar may make its line a table's head,
 * and a long one is not waited for.
 */
function* readInfo(input: TextInput, from: number, fence: string): Reading<'name' | 'ticks' | 'unclear'> {
  for (let end = from; end - from < maxInfo; end++) {
    const char = input.char(end) || (yield* input.wait(end))
    if (char === '`' && fence === '`') return 'ticks'
    if (char === '|') return 'unclear'
    if (char === '\n' || char === '') return 'name'
  }
  return 'unclear'
}
