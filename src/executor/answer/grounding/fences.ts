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
  /** What stands behind the run: a language, or nothing. */
  readonly language: string
  /** The index after the run. */
  readonly end: number
}

/**
 * Finds the fenced code blocks of a text, line by line: two runs at one column, the first with markers of a list before
 * and a language behind it at most, and no line between them that is indented less. Where no marker stands before it, every
 * reader of Markdown agrees on its two ends, whatever the block is in. From the first run on that could be read in two
 * ways it reports none at all (`isLost`), since a fence that is missed would turn code and text round.
 */
export class Fences {
  /** Set by who reads three backticks or tildes in a line of text, too. */
  isLost = false;

  /** Reads the start of a line. Returns the block that it opens, `'blank'` for an empty line, otherwise `'text'`. */
  *readLine(input: TextInput, from: number): Reading<OpenFence | 'blank' | 'text'> {
    const indent = yield* endOfRun(input, from, ' ', maxIndent)
    const first = input.char(indent) || (yield* input.wait(indent))
    if (first === '\n' || first === '') return 'blank'
    if (this.isLost || !/[`~\-+*\d]/.test(first)) return 'text'
    const start = yield* endOf(input, indent, /^[ \-+*\d.)]$/)
    const char = yield* input.wait(start)
    if ((char !== '`' && char !== '~') || start - from >= maxIndent) return 'text'
    const end = yield* endOfRun(input, start, char, maxRun)
    const isAfterMarker = start > indent && input.char(start - 1) === ' '
    if (end - start < 3 || end - start === maxRun || (start > indent && !isAfterMarker)) return 'text'
    const language = yield* readLanguage(input, end)
    if (language === undefined) return 'text'
    return { isCertain: !isAfterMarker, ticks: input.slice(start, end), column: start - from, language, end }
  }

  /**
   * Reads the start of a line in a block. Returns whether it closes the block, may be outside of it, or has a run that some
   * reader may take for its end.
   */
  *readCode(input: TextInput, from: number, { ticks, column }: OpenFence): Reading<'code' | 'run' | 'close' | 'lost'> {
    const end = yield* endOfRun(input, from, ' ', maxIndent)
    const first = input.char(end) || (yield* input.wait(end))
    if (first === '\n' || first === '') return 'code'
    if (end - from < column) {
      this.isLost = true
      return 'lost'
    }
    const start = first === '\t' ? yield* endOf(input, end, /^[ \t]$/) : end
    const after = yield* endOfRun(input, start, ticks.charAt(0), maxRun)
    if (after - start < ticks.length) return 'code'
    const rest = yield* endOfRun(input, after, ' ', maxIndent)
    const isLast = ['\n', ''].includes(yield* input.wait(rest))
    return isLast && start - from === column && after - start === ticks.length ? 'close' : 'run'
  }
}

const maxIndent = 100
const maxRun = 50
const maxLanguage = 30

function* endOf(input: TextInput, from: number, chars: RegExp): Reading<number> {
  let end = from
  while (end - from < maxIndent && chars.test(input.char(end) || (yield* input.wait(end)))) end++
  return end
}

/** What stands behind a run to the end of its line: a language or nothing; `undefined` for anything else. */
function* readLanguage(input: TextInput, from: number): Reading<string | undefined> {
  for (let end = from; end - from < maxLanguage; end++) {
    const char = input.char(end) || (yield* input.wait(end))
    if (char === '\n' || char === '') return input.slice(from, end).trimEnd()
    if (!/[\w+#.-]/.test(char)) {
      const rest = yield* endOfRun(input, end, ' ', maxLanguage)
      return ['\n', ''].includes(yield* input.wait(rest)) ? input.slice(from, end) : undefined
    }
  }
  return undefined
}
