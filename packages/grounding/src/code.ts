import type { Reading, TextInput } from './text-input.ts'

/** A code span: its backticks, its content, and the index after it. */
export interface CodeSpan {
  readonly ticks: string
  readonly content: string
  readonly end: number
}

/** Reads the code span at a backtick. Gives up at the end of the line and after 300 characters. */
export function* readCodeSpan(input: TextInput, from: number): Reading<CodeSpan | undefined> {
  const start = yield* endOfRun(input, from, '`')
  const ticks = input.slice(from, start)
  for (let index = start; index <= start + maxSpanLength; index++) {
    const char = input.char(index) || (yield* input.wait(index))
    if (char === '' || char === '\n') return undefined
    if (char !== '`') continue
    const end = yield* endOfRun(input, index, '`')
    if (end - index === ticks.length) return { ticks, content: input.slice(start, index), end }
    index = end - 1
  }
  return undefined
}

const maxSpanLength = 300
const maxRunLength = 16

/** The index after a run of one character, of which so many are read at most. */
export function* endOfRun(input: TextInput, from: number, char: string, maxLength = maxRunLength): Reading<number> {
  let end = from
  while (end - from < maxLength && (input.char(end) || (yield* input.wait(end))) === char) end++
  return end
}
