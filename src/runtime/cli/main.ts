import { existsSync } from 'node:fs'
import { SearchError } from '../../domain/error.ts'
import { configPath, stateFolder } from '../config/home.ts'
import { Interrupted, meant, UsageError } from '../config/usage-error.ts'
import { csp } from '../shell/program.ts'
import type { Shell } from '../shell/shell.ts'
import { wrapped } from '../shell/wrapped-text.ts'
import { version } from '../version.ts'
import { type CommandRow, exitCodes } from './command.ts'
import { commandGroups, commandRows, formerCommands, shortForms } from './commands.ts'
import { helpForAll } from './help.ts'

/** Runs csp with the arguments after its name. Resolves to the exit code; usage errors go to `errors`. */
export async function main(args: readonly string[], shell: Shell): Promise<number> {
  try {
    return await run(args, shell)
  } catch (error) {
    if (isOfDisk(error)) {
      shell.errors.write(`csp cannot use a file that it needs: ${error.message}. ${csp} doctor says more.\n`)
      return exitCodes.failed
    }
    if (error instanceof Interrupted) {
      shell.errors.write(`\n${error.message}\n`)
      return exitCodes.interrupted
    }
    if (error instanceof SearchError) {
      shell.errors.write(wrapped(`${error.message}\n`, shell.errors))
      return exitCodes.failed
    }
    if (!(error instanceof UsageError)) throw error
    shell.errors.write(wrapped(`${error.message}\n`, shell.errors))
    return exitCodes.usage
  }
}

/** Whether the disk or its rights are at fault, and csp is not. The message names a path and nothing of a request. */
function isOfDisk(error: unknown): error is Error {
  return error instanceof Error && 'path' in error && 'code' in error && diskCodes.has(error.code)
}

const diskCodes: ReadonlySet<unknown> = new Set(
  'EACCES EPERM EROFS ENOSPC EDQUOT ENOTDIR EISDIR EEXIST ELOOP ENAMETOOLONG'.split(' '),
)

async function run(args: readonly string[], shell: Shell): Promise<number> {
  const [first = isFirstRun(shell) ? 'init' : 'serve', ...rest] = args
  if (['--version', '-v', '-V'].includes(first)) return print(shell, `${version}\n`)
  if (first === '--help' || first === '-h' || (first === 'help' && rest.length === 0)) {
    return print(shell, helpForAll(commandGroups, widthOf(shell)))
  }
  if (first === 'help') return showHelp(rest[0] ?? '', shell)

  const short = Object.hasOwn(shortForms, first) ? shortForms[first] : undefined
  if (short) return run([...short, ...rest], shell)
  // A question in quotes.
  if (/\s/.test(first.trim())) return run(['ask', ...args], shell)
  const isFlag = first.startsWith('-')
  const at = isFlag ? await commandBehindFlags(args) : 0
  const name = at === undefined ? 'serve' : (args[at] ?? first)
  const own = at === undefined ? args : args.toSpliced(at, 1)
  if (asksFor(own, '--help-all')) return showHelp(name, shell, true)
  if (asksFor(own, '--help', '-h')) return showHelp(name, shell)
  const { load } = rowNamed(name)
  const { runCommand } = await import('./run-command.ts')
  return runCommand(await load(), own, shell)
}

async function showHelp(name: string, shell: Shell, isWhole = false): Promise<number> {
  const { summary, load } = rowNamed(name)
  const { helpFor } = await import('./command-help.ts')
  return print(shell, helpFor(summary, await load(), widthOf(shell), isWhole))
}

function widthOf({ output }: Shell): number {
  return Math.min(output.columns, 110)
}

/** Whether csp is called at a terminal, where it was never set up. */
function isFirstRun({ environment, directory, output }: Shell): boolean {
  if (!output.isTerminal || !process.stdin.isTTY) return false
  const isConfigured = Object.keys(environment).some((name) => name.startsWith('CSP_') && !ofLauncher.has(name))
  return !isConfigured && !existsSync(configPath({}, environment, directory)) && !existsSync(stateFolder(environment))
}

const ofLauncher = new Set(['CSP_NODE', 'CSP_RUNNER'])

/** Where the command is in `csp --sandbox search`, whose flags stand before it. */
async function commandBehindFlags(args: readonly string[]): Promise<number | undefined> {
  const { settings } = await import('../config/settings.ts')
  const at = args.findIndex((argument, index) => {
    const previous = args[index - 1]
    const takesValue = settings.some(({ flag, hint }) => hint !== undefined && previous === `--${flag}`)
    return !argument.startsWith('-') && !takesValue && previous !== '--config'
  })
  if (args.slice(0, at).includes('--')) return undefined
  return commandRows.some(({ name }) => name === args[at]) ? at : undefined
}

function rowNamed(name: string): CommandRow {
  const found = commandRows.find((row) => row.name === name)
  if (found) return found
  const now = Object.hasOwn(formerCommands, name) ? formerCommands[name] : undefined
  if (now) throw new UsageError(`csp has no command "${name}" any more. In its place: ${now}.`)
  const names = commandRows.map((row) => row.name)
  throw new UsageError(
    `csp has no command "${name}". ${meant(name, names, `It has: ${names.join(', ')}. To ask: ${csp} ask "${name}".`)}`,
  )
}

function asksFor(args: readonly string[], ...flags: readonly string[]): boolean {
  const end = args.indexOf('--')
  return (end < 0 ? args : args.slice(0, end)).some((argument) => flags.includes(argument))
}

function print(shell: Shell, text: string): number {
  shell.output.write(text)
  return exitCodes.done
}
