import type { OwnPrompts } from '../../domain/own-prompts.ts'
import { readTextFile } from './config-file.ts'
import { UsageError } from './usage-error.ts'

/** The text of a file of instructions. Throws a `UsageError`. */
export function readInstructions(path: string): string {
  const text = readTextFile('file of instructions', path)
  if (text === undefined) throw new UsageError(`There is no file of instructions at ${path}.`)
  if (text.length <= maxInstructions) return text.trim()
  throw new UsageError(
    `The file of instructions has ${text.length} characters; at most ${maxInstructions} are allowed.`,
  )
}

/** The longest instructions, and the longest prompt: every written answer sends them. */
export const maxInstructions = 4000

const names = ['standard', 'deep'] as const

/**
 * System prompts from a Markdown file: each stands under a heading of the first level that begins with its name, as
 * `csp config prompts` prints it. Throws a `UsageError` that names the line.
 */
export function readPrompts(path: string): OwnPrompts {
  const text = readTextFile('file of prompts', path)
  if (text === undefined) throw new UsageError(`There is no file of prompts at ${path}.`)
  const wrong = (line: number, what: string) => new UsageError(`${path} line ${line}: ${what}`)
  const found = new Map<string, { readonly line: number; readonly lines: string[] }>()
  let current: string[] | undefined
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.startsWith('# ')) {
      const name = names.find((each) => each === line.slice(2).trim().split(/[\s:]/, 1)[0])
      if (!name) throw wrong(index + 1, `No prompt of this name can be replaced, only ${names.join(' and ')}.`)
      if (found.has(name)) throw wrong(index + 1, `${name} is there twice.`)
      current = []
      found.set(name, { line: index + 1, lines: current })
    } else if (current) current.push(line)
    else if (line.trim() !== '') throw wrong(index + 1, `A heading must come first: # ${names.join(' or # ')}.`)
  }
  if (found.size === 0) throw wrong(1, `There is no prompt. Each stands under a heading: # ${names.join(' or # ')}.`)
  const prompts = [...found].map(([name, { line, lines }]) => {
    const prompt = lines.join('\n').trim()
    if (prompt === '') throw wrong(line, `There is no text under ${name}.`)
    if (prompt.length <= maxInstructions) return [name, prompt] as const
    throw wrong(line, `${name} has ${prompt.length} characters; at most ${maxInstructions} are allowed.`)
  })
  return Object.fromEntries(prompts)
}
