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
