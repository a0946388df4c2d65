import type { Reading, TextInput } from './text-input.ts'

/** A code span: its backticks, its content, and the index after it. */
export interface CodeSpan {
  readonly ticks: string
  readonly content: string
  readonly end: number
}

/** The line that opens a fenced block: its fence, and the index after the fence. */
export interface Fence {
  readonly char: string
  readonly length: number
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

/** Reads the opening fence of a code block, from the start of a line. */
export function* readFence(input: TextInput, from: number): Reading<Fence | undefined> {
  const start = yield* endOfIndent(input, from)
  const char = yield* input.wait(start)
  if (char !== '`' && char !== '~') return undefined
  const end = yield* endOfRun(input, start, char)
  if (end - start < 3) return undefined
  for (let index = end; char === '`' && index < end + maxInfoLength; index++) {
    const next = yield* input.wait(index)
    if (next === '`') return undefined
    if (next === '' || next === '\n') break
  }
  return { char, length: end - start, end }
}

/** Whether the line that starts here closes a fenced block. */
export function* closesFence(input: TextInput, from: number, { char, length }: Fence): Reading<boolean> {
  const start = yield* endOfIndent(input, from)
  let end = yield* endOfRun(input, start, char)
  if (end - start < length) return false
  for (const limit = end + maxInfoLength; end < limit; end++) {
    const next = yield* input.wait(end)
    if (next === '' || next === '\n') return true
    if (!/\s/.test(next)) return false
  }
  return false
}

const maxSpanLength = 300
const maxRunLength = 16
const maxInfoLength = 100
const maxIndent = 16

function* endOfRun(input: TextInput, from: number, char: string): Reading<number> {
  let end = from
  while (end - from < maxRunLength && (yield* input.wait(end)) === char) end++
  return end
}

function* endOfIndent(input: TextInput, from: number): Reading<number> {
  let end = from
  while (end - from < maxIndent && /^[ \t>]$/.test(yield* input.wait(end))) end++
  return end
}
