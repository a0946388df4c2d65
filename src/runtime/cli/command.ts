import type { LoadedConfig } from '../config/config.ts'
import type { SettingName } from '../config/config-schema.ts'
import type { Shell } from '../shell/shell.ts'

/** One thing that csp can do. */
export interface Command {
  readonly name: string
  /** What follows the name, as help shows it. */
  readonly usage: string
  /** One line. */
  readonly summary: string
  readonly details?: string | undefined
  readonly examples: readonly string[]
  /** Which settings can be given as flags; the others still come from variables and the file. */
  readonly settings: readonly SettingName[]
  readonly options: readonly Option[]
  /** How many arguments without dashes it takes. */
  readonly arguments: { readonly minimum: number; readonly maximum: number }
  /** Resolves to the exit code. */
  run(invocation: Invocation): Promise<number>
}

/** A flag that belongs to one command and is no setting. */
export interface Option {
  readonly flag: string
  readonly short?: string | undefined
  /** Stands for the value in help; absent for a switch. */
  readonly hint?: string | undefined
  readonly help: string
}

/** A command with all that it was given. */
export interface Invocation {
  readonly shell: Shell
  readonly loaded: LoadedConfig
  readonly arguments: readonly string[]
  readonly options: Readonly<Record<string, string | boolean | undefined>>
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
