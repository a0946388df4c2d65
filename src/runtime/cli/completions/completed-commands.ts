import { z } from 'zod'
import { fields } from '../../config/declarations/fields.ts'
import { flagOf, type Setting, settingsOf } from '../../config/settings.ts'
import type { Command, CommandRow, OptionDefinition } from '../command.ts'

/** A flag, as completions show it. */
export interface CompletedFlag {
  /** With its dashes, the long one first. */
  readonly names: readonly string[]
  readonly help: string
  /** The values that are known; `file`: the name of one. Absent for a switch. */
  readonly value?: readonly string[] | 'file' | undefined
}

/** A command, as completions show it. */
export interface CompletedCommand {
  readonly name: string
  readonly summary: string
  readonly flags: readonly CompletedFlag[]
  /** What its first argument may be, and the second behind each of them. */
  readonly words: Readonly<Record<string, readonly string[]>>
}

/** What can be typed behind csp: the commands, their arguments and flags, from the tables that help is made of. */
export async function completedCommands(rows: readonly CommandRow[]): Promise<readonly CompletedCommand[]> {
  const names = Object.fromEntries(rows.map(({ name }) => [name, []]))
  const commands = rows.map(async ({ name, summary, load }) => {
    const command = await load()
    return { name, summary, flags: flagsOf(command), words: command.words ?? {} }
  })
  return [
    ...(await Promise.all(commands)),
    { name: 'help', summary: 'Show the page of a command', flags: [], words: names },
  ]
}

function flagsOf({ name, options }: Command): readonly CompletedFlag[] {
  const own = Object.entries(options).map(([option, definition]) => ownFlag(flagOf(option), definition))
  const taken = new Set(own.flatMap(({ names }) => names))
  const shared = settingsOf(name).map(settingFlag)
  return [
    ...own,
    ...shared.filter(({ names: [long = ''] }) => !taken.has(long)),
    { names: ['--config'], help: 'Use this configuration file', value: 'file' },
    { names: ['--help', '-h'], help: 'Show the page of this command' },
  ]
}

function ownFlag(flag: string, { short, hint, help, values }: OptionDefinition): CompletedFlag {
  return {
    names: [`--${flag}`, ...(short ? [`-${short}`] : [])],
    help,
    value: hint === undefined ? undefined : (values ?? kindOf(hint)),
  }
}

function settingFlag({ name, flag, hint, help }: Setting): CompletedFlag {
  return { names: [`--${flag}`], help, value: hint === undefined ? undefined : (wordsOf(name) ?? kindOf(hint)) }
}

function kindOf(hint: string): readonly string[] | 'file' {
  return /^(?:FILE|FOLDER|PATH)$/.test(hint) ? 'file' : []
}

const enumeration = z.object({ enum: z.array(z.string()) })
const wordSchema = z.union([enumeration, z.object({ items: enumeration }).transform(({ items }) => items)])

/** The words that a setting may be, or those of its list. */
function wordsOf(name: Setting['name']): readonly string[] | undefined {
  const schema = z.toJSONSchema(fields.shape[name], { unrepresentable: 'any' })
  return wordSchema.safeParse(schema).data?.enum
}
