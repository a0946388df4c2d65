import type { Flags, LoadedConfig } from '../config/config.ts'
import { UsageError } from '../config/usage-error.ts'
import type { Shell } from '../shell/shell.ts'

/** A command in the table: what help shows of all of them, and the rest when somebody wants it. */
export interface CommandRow {
  readonly name: string
  /** One line. */
  readonly summary: string
  /** Whether it serves others until it is stopped. */
  readonly isServer?: true | undefined
  load(): Promise<Command>
}

/** A command, whatever its options are. */
export type Command = CommandDefinition<OptionDefinitions>

/** What a command is and does. */
export interface CommandDefinition<Definitions extends OptionDefinitions> {
  readonly name: string
  /** What follows the name, as help shows it. */
  readonly usage: string
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

/** Declares a command. Its `run` gets exactly the options that the definition names, with their types. */
export function defineCommand<const Definitions extends OptionDefinitions>(
  definition: CommandDefinition<Definitions>,
): Command {
  return definition
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
