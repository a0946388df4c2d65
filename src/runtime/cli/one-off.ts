import { whenAborted } from '@csp/lib/abort'
import type { LoadedConfig } from '../config/config.ts'
import { createLog, type Log } from '../log/log.ts'
import { createProgress, type Progress } from '../shell/progress.ts'
import { interruption, type Shell } from '../shell/shell.ts'
import { safeLine } from '../shell/terminal.ts'
import { wrapped } from '../shell/wrapped-text.ts'
import { type Call, exitCodes, type OptionDefinitions } from './command.ts'

/** Flags of every command that does one thing and ends. */
export const oneOffOptions = {
  quiet: { short: 'q', help: 'Show no progress and no hints' },
} satisfies OptionDefinitions

/** What a command does its one thing with. */
export interface OneOff {
  readonly log: Log
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal
  readonly progress: Progress
  readonly createdAt: Date
  /** Whole milliseconds since then. */
  elapsedMs(): number
  /** Writes to the output. On a terminal that takes the progress line away. */
  print(text: string): void
  /** Something for a person at a terminal to know, behind the output. */
  hint(text: string): void
  /** What to stop when the command ends; a second stop signal does not wait for it. */
  atEnd(close: () => Promise<void>): void
}

/** What is said of a failure, and the exit code. */
export interface Explained {
  readonly message: string
  readonly cause?: unknown
  readonly code: number
}

/**
 * Runs a command that does one thing: with progress, Ctrl-C, and errors on one line. `explain` throws what is no failure
 * of the thing itself.
 */
export async function runOneOff(
  { shell, loaded }: Pick<Call, 'shell' | 'loaded'>,
  isQuiet: boolean,
  work: (frame: OneOff) => Promise<void>,
  explain: (error: unknown) => Explained,
): Promise<number> {
  const progress = createProgress(shell.errors, shell.environment, isQuiet)
  const errors = { ...shell.errors, write: (text: string) => progress.write(text) }
  // It shows errors alone, unless a level is set.
  const log = quietLog({ shell: { errors }, loaded }, 'error')
  for (const warning of loaded.warnings) shell.errors.write(wrapped(`${warning}\n`, shell.errors))
  const stop = interruption(shell)
  const hints: string[] = []
  const closers: (() => Promise<void>)[] = []
  const createdAt = new Date()
  const output = lineKeeper(shell, progress)
  try {
    await work({
      log,
      signal: stop.first,
      progress,
      createdAt,
      elapsedMs: () => Date.now() - createdAt.getTime(),
      print: output.print,
      hint: (text) => void hints.push(`${text}\n`),
      atEnd: (close) => void closers.push(close),
    })
    progress.end()
    if (shell.errors.isTerminal && !isQuiet) shell.errors.write(hints.join(''))
    return exitCodes.done
  } catch (error) {
    progress.end()
    output.endLine()
    const { message, cause, code } = explain(error)
    shell.errors.write(wrapped(`${safeLine(message)}\n`, shell.errors))
    if (cause) log('debug', `because: ${cause}`)
    return code
  } finally {
    progress.end()
    await Promise.race([Promise.all(closers.map((close) => close())), whenAborted(stop.again)])
    stop.end()
  }
}

/** The log of a command with words of its own: from a level upwards, unless the settings name one. */
export function quietLog(
  { shell, loaded: { config, origins } }: { readonly shell: Pick<Shell, 'errors'>; readonly loaded: LoadedConfig },
  usual: 'error' | 'warning',
): Log {
  return createLog(origins.logLevel === 'default' ? usual : config.logLevel, shell.errors, config.logFormat)
}

/** Keeps an error off the line of a text that it ends. */
function lineKeeper({ output }: Shell, progress: Progress) {
  let isInLine = false
  return {
    print(text: string): void {
      if (!text) return
      if (output.isTerminal) progress.end()
      output.write(text)
      isInLine = !text.endsWith('\n')
    },
    endLine(): void {
      if (isInLine) output.write('\n')
    },
  }
}
