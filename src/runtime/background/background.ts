import { spawn } from 'node:child_process'
import { closeSync, readFileSync } from 'node:fs'
import { errorCode, messageOf } from '@csp/lib/errors'
import { CommandError } from '../config/usage-error.ts'
import { csp, ownServerProgram } from '../shell/program.ts'
import type { Environment } from '../shell/shell.ts'
import { logFile, openLog } from './log-file.ts'
import { isAlive, type RunningServerRecord, runningServers } from './running-servers.ts'

/** A csp that did not start. The message holds the end of its log. */
export class StartError extends CommandError {
  override readonly name = 'StartError'
}

export interface BackgroundOptions {
  readonly stateDir: string
  readonly environment: Environment
  /** The flags of `csp serve`. */
  readonly flags: readonly string[]
  /** Whether it ends with the programs that it is started for. */
  readonly isForPrograms?: boolean | undefined
  /** The csp whose place it takes. */
  readonly takesOver?: number | undefined
}

/**
 * Starts `csp serve` as a process of its own, without a terminal, and resolves when it listens. Its log is a file that
 * only the user can read. Throws a `StartError` when it ends before, or does not listen in time.
 */
export async function startInBackground(options: BackgroundOptions): Promise<RunningServerRecord> {
  const { stateDir, environment, flags, isForPrograms, takesOver } = options
  const log = logFile(stateDir)
  const began = openedLog(log)
  const { command, args } = ownServerProgram('serve', ...flags)
  const child = spawn(command, [...args], {
    cwd: stateDir,
    detached: true,
    stdio: ['ignore', began.handle, began.handle],
    env: {
      BUN_JSC_forceRAMSize: heapSize,
      ...environment,
      CSP_MANAGER: isForPrograms ? 'programs' : 'background',
      ...(takesOver !== undefined && { CSP_TAKES_OVER: String(takesOver) }),
    },
  })
  closeSync(began.handle)
  let isGone = false
  child.once('exit', () => {
    isGone = true
  })
  child.once('error', () => {
    isGone = true
  })
  const endsAt = performance.now() + startMs
  while (!isGone && performance.now() < endsAt) {
    const found = (await runningServers(stateDir)).find(({ pid }) => pid === child.pid)
    if (found) {
      child.unref()
      return found
    }
    await Bun.sleep(20)
  }
  if (!isGone) child.kill('SIGKILL')
  const said = readFileSync(log).subarray(began.at).toString().trim()
  throw new StartError(`csp did not start. It said:\n${said || 'csp exited without output.'}`)
}

function openedLog(path: string): ReturnType<typeof openLog> {
  try {
    return openLog(path)
  } catch (error) {
    const reason = errorCode(error) ?? messageOf(error)
    throw new StartError(
      `csp cannot write its log ${path} (${reason}). Name another folder with --state-dir; ${csp} doctor checks it.`,
    )
  }
}

export type StopOutcome = 'stopped' | 'still-running'

/** Asks a server to stop and waits for its end; with `isForced`, ends it. Never signals another process. */
export async function stopServer(server: RunningServerRecord, isForced: boolean): Promise<StopOutcome> {
  const endsAt = performance.now() + (isForced ? forceMs : stopMs)
  if (isAlive(server)) process.kill(server.pid, isForced ? 'SIGKILL' : 'SIGTERM')
  while (isAlive(server)) {
    if (performance.now() > endsAt) return 'still-running'
    await Bun.sleep(20)
  }
  return 'stopped'
}

/** The CLI is started after listening begins, so this is the time of a slow disk. */
/**
 * As in bin/csp.mjs, which has told it already unless csp is compiled: Bun reads it when a process starts. A compiled
 * `csp serve` that a user starts himself has the heap of the machine, 24 MB more after 2,000 searches.
 */
const heapSize = '250000000'
const startMs = 30_000
/** Running searches get 5 s to finish, and a little more to fail. */
const stopMs = 12_000
const forceMs = 3000
