import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseCommandLine } from '../../src/runtime/cli/parse-command-line.ts'
import { parseArguments } from '../../src/runtime/cli/run-command.ts'
import { loadConfig } from '../../src/runtime/config/config.ts'
import { namesFile, settings } from '../../src/runtime/config/settings.ts'
import { UsageError } from '../../src/runtime/config/usage-error.ts'
import { commands } from '../support/commands.ts'
import type { ShellCommand } from './shell.ts'

export function isCsp(program: string): boolean {
  return /(^|\/)(csp|claude-search-proxy|csp\.mjs)$/.test(program)
}

/** A form of a command, `csp stop [--all] --port N`, as somebody may type it. */
export function filledIn(text: string): string {
  const whole = text.replaceAll(/\[FLAGS\]/g, '').replaceAll(/[[\]]/g, '')
  return whole.replaceAll(/\b(?:N|PID)\b/g, '7').replaceAll(/\bURL\b/g, 'https://csp.example.org')
}

/** What csp would say against a call, before it does anything. */
export async function cspProblem({ variables, words }: ShellCommand): Promise<string | undefined> {
  const { task, command: name, args } = await parseCommandLine(words, () => 'serve')
  // The page of what is no command is refused, too.
  const command = commands.find((each) => each.name === name)
  if (!command) return name ? `there is no command ${name}` : undefined
  // The name alone stands for the command, not for a call.
  if (task !== 'run' || args.length === 0) return undefined
  const end = name === 'run' ? args.indexOf('--') : -1
  const home = mkdtempSync(join(tmpdir(), 'csp-docs-'))
  try {
    const { flags, arguments: given } = parseArguments(command, end < 0 ? args : args.slice(0, end + 2))
    const [verb] = given
    const verbs = /^\[?[a-z]/.test(command.usage) ? Object.keys(command.words ?? {}) : []
    if (verb !== undefined && !/^[A-Z]+$/.test(verb) && verbs.length > 0 && !verbs.includes(verb))
      return `${name} takes ${verbs.join(', ')}`
    const { config: _, ...set } = flags
    const present = Object.entries(set).filter(
      ([flag]) => !settings.some((each) => each.flag === flag && namesFile(each)),
    )
    loadConfig(Object.fromEntries(present), { HOME: home, ...variables }, home)
    return undefined
  } catch (error) {
    if (error instanceof UsageError) return error.message
    throw error
  } finally {
    rmSync(home, { recursive: true })
  }
}
