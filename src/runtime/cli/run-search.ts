import { Rejection } from '../../api/fields/field.ts'
import { ordinaryQuery, readQuery } from '../../api/fields/query.ts'
import { type SearchErrorCode, toSearchError } from '../../domain/error.ts'
import { isUnusableCli } from '../../executor/backends/claude/cli/probe.ts'
import type { Executor } from '../../executor/executor.ts'
import { whenAborted } from '../../lib/abort.ts'
import { runningExecutor } from '../background/running-executor.ts'
import { type Composition, openComposition } from '../bun/composition.ts'
import { UsageError } from '../config/usage-error.ts'
import { createLog } from '../log/log.ts'
import { interruption } from '../shell/shell.ts'
import { progress, safeLine } from '../shell/terminal.ts'
import { type Call, exitCodes } from './command.ts'

/** What a command makes its one search with. */
export interface OneSearch {
  readonly executor: Executor
  readonly signal: AbortSignal
  readonly createdAt: Date
  /** Whole milliseconds since then. */
  elapsedMs(): number
  /** Takes the progress line away. To be called before anything is printed. */
  endProgress(): void
}

/**
 * Runs one search with a progress line, at the csp that already runs with these settings, otherwise in this process, then stops everything.
 * Resolves to the exit code.
 */
export async function runSearch({ shell, loaded }: Call, work: (search: OneSearch) => Promise<void>): Promise<number> {
  const { config, origins } = loaded
  // A one-off search shows errors alone, unless a level is set.
  const log = createLog(origins.logLevel === 'default' ? 'error' : config.logLevel, shell.errors, config.logFormat)
  for (const warning of loaded.warnings) shell.errors.write(`${warning}\n`)
  const stop = interruption(shell)
  const running = await runningExecutor(config)
  if (running) log('debug', 'The csp that runs already is asked.')
  const { executor, close } = running ? owned(running) : openComposition(config, shell.environment, log)
  const createdAt = new Date()
  const elapsedMs = () => Date.now() - createdAt.getTime()
  const endProgress = progress(shell.errors, 'Searching')
  try {
    await work({ executor, signal: stop.first, createdAt, elapsedMs, endProgress }).finally(endProgress)
    return exitCodes.done
  } catch (error) {
    const failure = toSearchError(error)
    shell.errors.write(`${safeLine(failure.message)}\n`)
    if (failure.cause) log('debug', `because: ${failure.cause}`)
    return isUnusableCli(failure) ? exitCodes.signedOut : exitCodeOf[failure.code]
  } finally {
    await Promise.race([close(), whenAborted(stop.again)])
    stop.end()
  }
}

function owned(executor: Executor): Pick<Composition, 'executor' | 'close'> {
  return { executor, close: () => executor.close() }
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

/** The query of a command line: its words, or standard input for `-`. Throws a `UsageError` for a query that the API rejects. */
export async function queryOf({ shell, arguments: words }: Pick<Call, 'shell' | 'arguments'>): Promise<string> {
  const text = words.length === 1 && words[0] === '-' ? await shell.input() : words.join(' ')
  if (!text.trim()) throw new UsageError('The query is empty.')
  const query = readQuery(text, ordinaryQuery)
  if (query instanceof Rejection) throw new UsageError(`The query was rejected: ${query.message}.`)
  return query
}
