import { endOfRun } from './code.ts'
import type { Reading, TextInput } from './text-input.ts'

/** The line that opens a fenced block. */
export interface OpenFence {
  /** Whether every reader sees it so: nothing but spaces stands before it. */
  readonly isCertain: boolean
  /** Its run of backticks or tildes. */
  readonly ticks: string
  /** The column of the run. */
  readonly column: number
  /** The language after the run; may be empty. */
  readonly language: string
  /** The indexes after the run, after the language and at the end of the line. */
  readonly end: number
  readonly languageEnd: number
  readonly lineEnd: number
}

/** The line that closes a fenced block, by the index of its end. */
export interface FenceEnd {
  readonly lineEnd: number
}

/**
 * Reads the start of a line. Returns the block that it opens, `'blank'` for an empty line, otherwise `'text'`. A block has
 * two runs at one column, the first with markers of a list before and a language behind it at most, and no line between
 * them that is indented less. Where no marker stands before it, every reader of Markdown agrees on its two ends, whatever
 * the block is in.
 */
export function* readLineStart(input: TextInput, from: number): Reading<OpenFence | 'blank' | 'text'> {
  const indent = yield* endOfRun(input, from, ' ', maxIndent)
  const first = input.char(indent) || (yield* input.wait(indent))
  if (first === '\n' || first === '') return 'blank'
  if (!/[`~\-+*\d]/.test(first)) return 'text'
  const start = yield* endOf(input, indent, /^[ \-+*\d.)]$/)
  const char = yield* input.wait(start)
  if ((char !== '`' && char !== '~') || start - from >= maxIndent) return 'text'
  const end = yield* endOfRun(input, start, char, maxRun)
  const isAfterMarker = start > indent && input.char(start - 1) === ' '
  if (end - start < 3 || end - start === maxRun || (start > indent && !isAfterMarker)) return 'text'
  const info = yield* readInfo(input, end)
  if (!info) return 'text'
  const lineEnd = info.end
  const languageEnd = end + info.language.length
  const place = { column: start - from, end, languageEnd, lineEnd }
  return { isCertain: !isAfterMarker, ticks: input.slice(start, end), language: info.language, ...place }
}

/**
 * Reads the start of a line in a block. Returns the end of the block, or whether the line is outside of it, or has a run that some
 * reader may take for its end.
 */
export function* readFencedLine(
  input: TextInput,
  from: number,
  { ticks, column }: OpenFence,
): Reading<'code' | 'run' | 'outside' | FenceEnd> {
  const end = yield* endOfRun(input, from, ' ', maxIndent)
  const first = input.char(end) || (yield* input.wait(end))
  if (first === '\n' || first === '') return 'code'
  if (end - from < column) return 'outside'
  const start = first === '\t' ? yield* endOf(input, end, /^[ \t]$/) : end
  const after = yield* endOfRun(input, start, ticks.charAt(0), maxRun)
  if (after - start < ticks.length) return 'code'
  const rest = yield* endOfRun(input, after, ' ', maxIndent)
  const isLast = ['\n', ''].includes(yield* input.wait(rest))
  return isLast && start - from === column && after - start === ticks.length ? { lineEnd: rest } : 'run'
}

const maxIndent = 100
const maxRun = 50
const maxInfo = 100

function* endOf(input: TextInput, from: number, chars: RegExp): Reading<number> {
  let end = from
  while (end - from < maxIndent && chars.test(input.char(end) || (yield* input.wait(end)))) end++
  return end
}

/** What stands behind a run to the end of its line: a language or nothing, and words; `undefined` for anything else. */
function* readInfo(
  input: TextInput,
  from: number,
): Reading<{ readonly language: string; readonly end: number } | undefined> {
  for (let end = from; end - from < maxInfo; end++) {
    const char = input.char(end) || (yield* input.wait(end))
    if (char === '`' || char === '~' || char === '[' || char === '|') return undefined
    if (char !== '\n' && char !== '') continue
    const language = /^[\w+#.-]{0,30}(?= |$)/.exec(input.slice(from, end))?.[0]
    return language === undefined ? undefined : { language, end }
  }
  return undefined
}
