import { parseArgs } from 'node:util'
import { nearest } from '../config/nearest.ts'
import { settings } from '../config/settings.ts'
import { UsageError } from '../config/usage-error.ts'
import type { Command } from './command.ts'

/** A command line, taken apart. */
export interface ParsedArguments {
  readonly arguments: readonly string[]
  /** By flag, without dashes. */
  readonly flags: Readonly<Record<string, string | boolean | undefined>>
}

interface Known {
  readonly flag: string
  readonly short?: string | undefined
  readonly hint?: string | undefined
}

/** Takes a command's arguments apart. Throws a `UsageError` for a flag it does not know or that lacks its value. */
export function parseArguments(command: Command, args: readonly string[]): ParsedArguments {
  const known = knownFlags(command)
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(known.map(({ flag, short, hint }) => [flag, optionOf(short, hint)])),
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const flags: Record<string, string | boolean> = {}
  const positionals: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value)
    if (token.kind !== 'option') continue
    const match = known.find(({ flag }) => flag === token.name)
    if (!match) throw unknown(command, token.rawName, known)
    if (match.hint && missesValue(token.value, token.inlineValue)) {
      throw new UsageError(`${token.rawName} needs a value: ${token.rawName} ${match.hint}`)
    }
    flags[match.flag] = token.value ?? true
  }
  checkCount(command, positionals)
  return { arguments: positionals, flags }
}

function knownFlags(command: Command): readonly Known[] {
  const shared = settings.filter(({ name, isFlag }) => isFlag && command.settings.includes(name))
  return [
    ...command.options,
    ...shared.filter(({ flag }) => !command.options.some((option) => option.flag === flag)),
    { flag: 'config', hint: 'FILE' },
    { flag: 'help', short: 'h' },
  ]
}

function optionOf(short: string | undefined, hint: string | undefined) {
  return { type: hint ? ('string' as const) : ('boolean' as const), ...(short ? { short } : {}) }
}

/** `--port --host x` forgot a value; `--port=--host` did not. */
function missesValue(value: string | undefined, inline: boolean | undefined): boolean {
  return value === undefined || (!inline && value.length > 1 && value.startsWith('-'))
}

function unknown(command: Command, rawName: string, known: readonly Known[]): UsageError {
  const meant = nearest(
    rawName,
    known.map(({ flag }) => `--${flag}`),
  )
  const end = meant ? `Did you mean ${meant}?` : `csp ${command.name} --help lists what there is.`
  const dashed = command.arguments.maximum > 0 ? ' Text that begins with a dash goes after --.' : ''
  return new UsageError(`csp ${command.name} has no flag ${rawName}. ${end}${dashed}`)
}

function checkCount(command: Command, given: readonly string[]): void {
  const { minimum, maximum } = command.arguments
  if (given.length < minimum) throw new UsageError(`Usage: csp ${command.name} ${command.usage}`)
  if (given.length > maximum) {
    throw new UsageError(`csp ${command.name} does not know what to do with "${given[maximum]}".`)
  }
}
