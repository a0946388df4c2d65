import { type BackgroundOptions, StartError, startInBackground } from './background.ts'
import { addHolder, removeHolder } from './holders.ts'
import { type RunningServerRecord, runningServers } from './running-servers.ts'

export interface HoldOptions extends Pick<BackgroundOptions, 'stateDir' | 'environment' | 'flags'> {
  readonly port: number
  /** The process that needs csp. */
  readonly pid: number
}

export interface HeldCsp {
  readonly server: RunningServerRecord
  readonly isNew: boolean
}

/**
 * Has a csp run as long as a process does. One that is there already is only used. `undefined` when there is no such
 * process; throws a `StartError` when none could be started.
 */
export async function holdCsp(options: HoldOptions, start = startInBackground): Promise<HeldCsp | undefined> {
  const { stateDir, port, pid } = options
  // Before the look: a csp that is about to end sees it.
  if (!(await addHolder(stateDir, port, pid))) return undefined
  const running = await serverAt(stateDir, port)
  if (running) {
    if (running.manager !== 'programs') await removeHolder(stateDir, port, pid)
    return { server: running, isNew: false }
  }
  try {
    return { server: await start({ ...options, isForPrograms: true }), isNew: true }
  } catch (error) {
    // If two start at once, one gets the port; the other one's caller shares it.
    const winner = error instanceof StartError ? await serverAt(stateDir, port) : undefined
    if (winner) return { server: winner, isNew: true }
    await removeHolder(stateDir, port, pid)
    throw error
  }
}

/** The csp of this user at a port. */
export async function serverAt(stateDir: string, port: number): Promise<RunningServerRecord | undefined> {
  return (await runningServers(stateDir)).find((server) => server.port === port)
}
