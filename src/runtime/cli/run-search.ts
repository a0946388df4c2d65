import { type SearchErrorCode, toSearchError } from '../../domain/error.ts'
import type { Executor } from '../../executor/executor.ts'
import { whenAborted } from '../../lib/abort.ts'
import { claudeBinary } from '../bun/claude-binary.ts'
import { compose } from '../bun/compose.ts'
import { openLog } from '../log/log.ts'
import { interruption } from '../shell/interruption.ts'
import { safeLine } from '../shell/terminal.ts'
import { type Call, exitCodes } from './command.ts'

/** Runs one search in this process and takes everything down after it. Resolves to the exit code. */
export async function runSearch(
  { shell, loaded }: Call,
  work: (executor: Executor, signal: AbortSignal) => Promise<void>,
): Promise<number> {
  const { config, origins } = loaded
  // The log of a server would only stand in the way here.
  const log = openLog(origins.logLevel === 'default' ? 'error' : config.logLevel, shell.errors, config.logFormat)
  for (const warning of loaded.warnings) shell.errors.write(`${warning}\n`)
  const stop = interruption(shell)
  const composition = compose(config, shell.environment, log)
  try {
    await work(composition.executor, stop.first)
    return exitCodes.done
  } catch (error) {
    const failure = toSearchError(error)
    shell.errors.write(`${safeLine(failure.message)}\n`)
    if (failure.cause) log('debug', `because: ${failure.cause}`)
    const isMissing =
      failure.code === 'unavailable' &&
      config.backends.includes('claude') &&
      claudeBinary(config, shell.environment) === undefined
    return isMissing ? exitCodes.signedOut : exitCodeOf[failure.code]
  } finally {
    await Promise.race([composition.close(), whenAborted(stop.again)])
    stop.end()
  }
}

const exitCodeOf = {
  'invalid-request': exitCodes.usage,
  'signed-out': exitCodes.signedOut,
  'rate-limited': exitCodes.limited,
  cancelled: exitCodes.interrupted,
  unauthorized: exitCodes.failed,
  busy: exitCodes.failed,
  unavailable: exitCodes.failed,
  ungrounded: exitCodes.failed,
  timeout: exitCodes.failed,
  failed: exitCodes.failed,
} satisfies Record<SearchErrorCode, number>
