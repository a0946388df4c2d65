import { existsSync } from 'node:fs'
import { shellWord } from '@csp/lib/text'
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
import { type CommandLine, parseCommandLine } from './parse-command-line.ts'

/**
 * Runs csp with the arguments after its name. Resolves to the exit code; usage errors go to `errors`. `whenParsed` learns
 * what is going to be done, before it is done.
 */
export async function main(
  args: readonly string[],
  shell: Shell,
  whenParsed: (line: CommandLine) => Promise<void> = async () => {},
): Promise<number> {
  try {
    const line = await parseCommandLine(args, () => (isFirstRun(shell) ? 'init' : 'serve'))
    await whenParsed(line)
    return await run(line, shell)
  } catch (error) {
    if (isOfDisk(error)) {
      shell.errors.write(
        wrapped(`csp cannot use a file that it needs: ${error.message}. ${csp} doctor says more.\n`, shell.errors),
      )
      return exitCodes.failed
    }
    if (error instanceof Interrupted) {
      shell.errors.write(wrapped(`\n${error.message}\n`, shell.errors))
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

async function run(line: CommandLine, shell: Shell): Promise<number> {
  if (line.task === 'version') return print(shell, `${version}\n`)
  if (line.task === 'list of commands') return print(shell, helpForAll(commandGroups, shortForms, widthOf(shell)))
  const { summary, load } = rowOf(line)
  const command = await load()
  if (line.task === 'run') {
    const { runCommand } = await import('./run-command.ts')
    return runCommand(command, line.args, shell)
  }
  const { helpFor } = await import('./command-help.ts')
  return print(shell, helpFor(summary, command, widthOf(shell), line.task === 'whole help'))
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

function rowOf({ command, row, question }: CommandLine): CommandRow {
  if (row) return row
  const now = Object.hasOwn(formerCommands, command) ? formerCommands[command] : undefined
  if (now) throw new UsageError(`csp has no command "${command}" any more. In its place: ${now}.`)
  const names = commandRows.map(({ name }) => name)
  const isSentence = question !== command
  const hint = meant(command, names, isSentence ? '' : `It has: ${names.join(', ')}.`)
  // Between double quotes a shell would replace these.
  const quoted = /[`"$\\!]/.test(question) ? shellWord(question) : `"${question}"`
  throw new UsageError(
    [`csp has no command "${command}".`, hint, `To ask: ${csp} ask ${quoted}.`].filter(Boolean).join(' '),
  )
}

function print(shell: Shell, text: string): number {
  shell.output.write(text)
  return exitCodes.done
}
