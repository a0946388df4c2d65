import { parseArgs } from 'node:util'
import { type Flags, type LoadedConfig, loadConfig, loadConfigAnyway } from '../config/config.ts'
import { retiredSettings } from '../config/retired.ts'
import { flagOf, settingsOf } from '../config/settings.ts'
import { CommandError, meant, UsageError } from '../config/usage-error.ts'
import { csp } from '../shell/program.ts'
import type { Shell } from '../shell/shell.ts'
import { safe } from '../shell/terminal.ts'

/** A command of csp, ready to run. */
export interface Command extends Omit<CommandDefinition<OptionDefinitions>, 'run'> {
  /** Runs it with the arguments after its name. Resolves to the exit code; throws a `UsageError` for wrong arguments. */
  run(args: readonly string[], shell: Shell): Promise<number>
}

/** What a command is and does. */
export interface CommandDefinition<Definitions extends OptionDefinitions> {
  readonly name: string
  /** What follows the name, as help shows it. */
  readonly usage: string
  /** One line. */
  readonly summary: string
  readonly details?: string | undefined
  readonly examples: readonly string[]
  /** Flags of this command alone, by their names in camel case. The settings declare which commands take them. */
  readonly options: Definitions
  /** The words that its first argument may be, each with those that its second may be then. For completions. */
  readonly words?: Readonly<Record<string, readonly string[]>> | undefined
  /** How many arguments without dashes it takes. */
  readonly arguments: { readonly minimum: number; readonly maximum: number }
  /** Whether it runs without a wrong configuration file, too: `loaded.problem` says what is wrong. */
  readonly mendsConfig?: true | undefined
  /** Resolves to the exit code. */
  run(invocation: Invocation<Definitions>): Promise<number>
}

/** A flag that belongs to one command and is no setting. */
export interface OptionDefinition {
  readonly short?: string | undefined
  /** A name that it had, which still works and is not shown. */
  readonly former?: string | undefined
  /** Placeholder for the value in help; absent for a switch. */
  readonly hint?: string | undefined
  readonly help: string
  /** The values that it may have, for completions. */
  readonly values?: readonly string[] | undefined
  /** Reads the value. Throws a `UsageError` when it is wrong. Absent: the text as it is. */
  readonly parse?: ((text: string, flag: string) => unknown) | undefined
}

export type OptionDefinitions = Readonly<Record<string, OptionDefinition>>

/** The values of a command's options: what `parse` returns, text, or whether a switch is set. */
export type OptionValues<Definitions extends OptionDefinitions> = {
  readonly [Name in keyof Definitions]: Definitions[Name] extends {
    readonly parse: (text: string, flag: string) => infer Value
  }
    ? Value | undefined
    : Definitions[Name] extends { readonly hint: string }
      ? string | undefined
      : boolean
}

/** What a command is called with, apart from its own options. */
export interface Call {
  readonly shell: Shell
  readonly loaded: LoadedConfig
  /** The settings that were given as flags, and `config`. */
  readonly flags: Flags
  readonly arguments: readonly string[]
}

/** A call with the options that the command defines. */
export interface Invocation<Definitions extends OptionDefinitions> extends Call {
  readonly options: OptionValues<Definitions>
}

/** What each exit code means. `help` prints them. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  signedOut: 3,
  limited: 4,
  interrupted: 130,
} as const

/** Creates a command. Its `run` gets exactly the options that the definition names, with their types. */
export function defineCommand<const Definitions extends OptionDefinitions>(
  definition: CommandDefinition<Definitions>,
): Command {
  return {
    ...definition,
    async run(args, shell) {
      const { flags, ...given } = parseArguments(definition, args)
      const load = definition.mendsConfig ? loadConfigAnyway : loadConfig
      const loaded = load(flags, shell.environment, shell.directory)
      try {
        return await definition.run({ shell, loaded, flags, ...given })
      } catch (error) {
        if (!(error instanceof CommandError)) throw error
        shell.errors.write(`${safe(error.message)}\n`)
        return exitCodes.failed
      }
    },
  }
}

/** Flags as the arguments of a command line. */
export function flagArguments(flags: Flags): string[] {
  return Object.entries(flags).flatMap(([name, value]) => {
    if (value === undefined || value === false) return []
    return [value === true ? `--${name}` : `--${name}=${value}`]
  })
}

/** Reads a whole number, for the `parse` of an option. */
export function wholeNumber(minimum: number, maximum?: number): (text: string, flag: string) => number {
  return (text, flag) => {
    const value = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN
    if (value >= minimum && value <= (maximum ?? value)) return value
    const range = maximum === undefined ? `of ${minimum} or more` : `from ${minimum} to ${maximum}`
    throw new UsageError(`--${flag} must be a whole number ${range}, not ${JSON.stringify(text)}`)
  }
}

/** Reads one of some words, for the `parse` of an option. */
export function oneOf<const Word extends string>(words: readonly Word[]): (text: string, flag: string) => Word {
  return (text, flag) => {
    const found = words.find((word) => word === text)
    if (found !== undefined) return found
    throw new UsageError(`--${flag} must be one of: ${words.join(', ')}, not ${JSON.stringify(text)}`)
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
  readonly former?: string | undefined
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
  const all = [...known, ...retiredFlags(known)]
  const { tokens } = parseArgs({
    args: args.map((word) => (command.name === 'serve' ? (abbreviations.get(word) ?? word) : word)),
    options: Object.fromEntries(
      all.flatMap(({ flag, former, short, hint }) => [
        [flag, optionOf(short, hint)],
        ...(former ? [[former, optionOf(undefined, hint)]] : []),
      ]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const values = new Map<string, string | boolean>()
  const positionals: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value)
    if (token.kind !== 'option') continue
    const match = all.find(({ flag, former }) => [flag, former].includes(token.name))
    if (!match) throw unknown(command, token.rawName, known)
    if (match.hint && missesValue(token.value, token.inlineValue)) {
      throw new UsageError(`${token.rawName} needs a value: ${token.rawName} ${match.hint}`)
    }
    values.set(match.flag, token.value ?? true)
  }
  return { positionals, values }
}

/** Settings of earlier versions, whose flags every command takes. */
function retiredFlags(known: readonly Known[]): readonly Known[] {
  return Object.entries(retiredSettings).flatMap(([flag, { isSwitch }]) =>
    known.some((each) => each.flag === flag) ? [] : [{ flag, hint: isSwitch ? undefined : 'VALUE' }],
  )
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
