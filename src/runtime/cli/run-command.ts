import { parseArgs } from 'node:util'
import { type Flags, loadConfig, loadConfigAnyway } from '../config/config.ts'
import { flagOf, settingsOf } from '../config/settings.ts'
import { CommandError, meant, UsageError } from '../config/usage-error.ts'
import { csp } from '../shell/program.ts'
import type { Shell } from '../shell/shell.ts'
import { safe } from '../shell/terminal.ts'
import { wrapped } from '../shell/wrapped-text.ts'
import {
  type Command,
  type CommandDefinition,
  exitCodes,
  type OptionDefinitions,
  type OptionValues,
} from './command.ts'

/**
 * Runs a command with the arguments after its name. Resolves to the exit code; throws a `UsageError` for wrong arguments.
 */
export async function runCommand(command: Command, args: readonly string[], shell: Shell): Promise<number> {
  const { flags, ...given } = parseArguments(command, args)
  const load = command.mendsConfig ? loadConfigAnyway : loadConfig
  const loaded = load(flags, shell.environment, shell.directory)
  try {
    return await command.run({ shell, loaded, flags, ...given })
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    shell.errors.write(wrapped(`${safe(error.message)}\n`, shell.errors))
    return exitCodes.failed
  }
}

/** A parsed command line. */
interface ParsedArguments<Definitions extends OptionDefinitions> {
  readonly arguments: readonly string[]
  readonly options: OptionValues<Definitions>
  /** The settings among the flags, and `config`. */
  readonly flags: Flags
}

type Named = Pick<Command, 'name' | 'arguments'>

interface Known {
  readonly flag: string
  readonly short?: string | undefined
  readonly hint?: string | undefined
}

/** Parses the arguments of a command. Throws a `UsageError` for an unknown flag, and for one without or with a wrong value. */
export function parseArguments<Definitions extends OptionDefinitions>(
  command: Pick<CommandDefinition<Definitions>, 'name' | 'usage' | 'options' | 'arguments'>,
  args: readonly string[],
): ParsedArguments<Definitions> {
  const own = Object.entries(command.options).map(([name, option]) => ({ ...option, name, flag: flagOf(name) }))
  const shared = settingsOf(command.name).filter(({ flag }) => !own.some((option) => option.flag === flag))
  const known = [...own, ...shared, { flag: 'config', hint: 'FILE' }, { flag: 'help', short: 'h' }]
  const { positionals, values } = tokensOf(command, args, known)
  const { minimum, maximum } = command.arguments
  if (positionals.length < minimum) throw new UsageError(`Usage: ${csp} ${command.name} ${command.usage}`)
  if (positionals.length > maximum) {
    throw new UsageError(`${csp} ${command.name} takes no argument "${positionals[maximum]}".`)
  }
  const options = own.map(({ name, flag, hint, parse = (text: string) => text }) => {
    const value = values.get(flag)
    if (hint === undefined && typeof value === 'string') throw new UsageError(`--${flag} takes no value.`)
    return [name, hint === undefined ? value !== undefined : typeof value === 'string' ? parse(value, flag) : undefined]
  })
  return {
    arguments: positionals,
    // One entry for each definition, of its type, which `fromEntries` cannot express.
    options: Object.fromEntries(options) as OptionValues<Definitions>,
    flags: Object.fromEntries([...values].filter(([flag]) => !own.some((option) => option.flag === flag))),
  }
}

function tokensOf(command: Named, args: readonly string[], known: readonly Known[]) {
  const { tokens } = parseArgs({
    args: args.map((word) => (command.name === 'serve' ? (abbreviations.get(word) ?? word) : word)),
    options: Object.fromEntries(known.map(({ flag, short, hint }) => [flag, optionOf(short, hint)])),
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const values = new Map<string, string | boolean>()
  const positionals: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value)
    if (token.kind !== 'option') continue
    const match = known.find(({ flag }) => flag === token.name)
    if (!match) throw unknown(command, token.rawName, known)
    if (match.hint && missesValue(token.value, token.inlineValue)) {
      throw new UsageError(`${token.rawName} needs a value: ${token.rawName} ${match.hint}`)
    }
    values.set(match.flag, token.value ?? true)
  }
  return { positionals, values }
}

/** Short flags of `csp serve` that have a value. */
const abbreviations: ReadonlyMap<string, string> = new Map([
  ['-s', '--log-format=simple'],
  ['-d', '--log-level=debug'],
])

function optionOf(short: string | undefined, hint: string | undefined) {
  return { type: hint ? ('string' as const) : ('boolean' as const), ...(short ? { short } : {}) }
}

/** `--port --host x` lacks a value; `--port=--host` and a lone `-` do not. */
function missesValue(value: string | undefined, inline: boolean | undefined): boolean {
  return value === undefined || (!inline && value.length > 1 && value.startsWith('-'))
}

function unknown(command: Named, rawName: string, known: readonly Known[]): UsageError {
  const flags = known.map(({ flag }) => `--${flag}`)
  const end = meant(rawName, flags, `${csp} ${command.name} --help lists the flags.`)
  const dashed = command.arguments.maximum > 0 ? ' Text that begins with a dash goes after --.' : ''
  return new UsageError(`${csp} ${command.name} has no flag ${rawName}. ${end}${dashed}`)
}
