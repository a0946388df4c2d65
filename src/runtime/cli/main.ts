import { existsSync } from 'node:fs'
import { SearchError } from '../../domain/error.ts'
import { configPath, stateFolder } from '../config/config.ts'
import { settings } from '../config/settings.ts'
import { Interrupted, meant, UsageError } from '../config/usage-error.ts'
import { csp } from '../shell/program.ts'
import type { Shell } from '../shell/shell.ts'
import { wrapped } from '../shell/wrapped-text.ts'
import { version } from '../version.ts'
import { type Command, exitCodes } from './command.ts'
import { helpFor, helpForAll } from './help.ts'

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
  const [first = isFirstRun(args, shell) ? 'init' : 'serve', ...rest] = args
  const width = Math.min(shell.output.columns, 110)
  if (['--version', '-v', '-V'].includes(first)) return print(shell, `${version}\n`)
  if (first === '--help-all') return print(shell, helpFor(await commandNamed('serve'), width, true))
  if (first === '--help' || first === '-h' || (first === 'help' && rest.length === 0)) {
    return print(shell, helpForAll((await import('./commands.ts')).commandGroups, width))
  }
  if (first === 'help') return print(shell, helpFor(await commandNamed(rest[0] ?? ''), width))

  const isFlag = first.startsWith('-')
  const at = isFlag ? await commandBehindFlags(args) : 0
  const command = await commandNamed(at === undefined ? 'serve' : (args[at] ?? first))
  const own = at === undefined ? args : args.length === 0 ? rest : args.toSpliced(at, 1)
  if (asksFor(own, '--help-all')) return print(shell, helpFor(command, width, true))
  if (asksFor(own, '--help', '-h')) return print(shell, helpFor(command, width))
  return command.run(own, shell)
}

/** Whether somebody at a terminal calls csp by its name alone, where it was never set up. */
function isFirstRun(args: readonly string[], { environment, directory, output }: Shell): boolean {
  if (args.length > 0 || !output.isTerminal || !process.stdin.isTTY) return false
  const isConfigured = Object.keys(environment).some((name) => name.startsWith('CSP_') && !ofLauncher.has(name))
  return !isConfigured && !existsSync(configPath({}, environment, directory)) && !existsSync(stateFolder(environment))
}

const ofLauncher = new Set(['CSP_NODE', 'CSP_RUNNER'])

/** Where the command is in `csp --sandbox search`, whose flags stand before it. */
async function commandBehindFlags(args: readonly string[]): Promise<number | undefined> {
  const at = args.findIndex((argument, index) => {
    const previous = args[index - 1]
    const takesValue = settings.some(({ flag, hint }) => hint !== undefined && previous === `--${flag}`)
    return !argument.startsWith('-') && !takesValue && previous !== '--config'
  })
  if (at < 0 || args.slice(0, at).includes('--')) return undefined
  return (await allCommands()).some(({ name }) => name === args[at]) ? at : undefined
}

/** Loads the command alone where it is `serve`, so that the server starts without the code of the others. */
async function commandNamed(name: string): Promise<Command> {
  if (name === 'serve') return (await import('./serve/serve.ts')).serve
  const commands = await allCommands()
  const found = commands.find((command) => command.name === name)
  if (found) return found
  const names = commands.map((command) => command.name)
  throw new UsageError(`csp has no command "${name}". ${meant(name, names, `It has: ${names.join(', ')}.`)}`)
}

async function allCommands(): Promise<readonly Command[]> {
  return (await import('./commands.ts')).commands
}

function asksFor(args: readonly string[], ...flags: readonly string[]): boolean {
  const end = args.indexOf('--')
  return (end < 0 ? args : args.slice(0, end)).some((argument) => flags.includes(argument))
}

function print(shell: Shell, text: string): number {
  shell.output.write(text)
  return exitCodes.done
}
