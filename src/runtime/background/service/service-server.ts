import { type RunningServerRecord, runningServers } from '../running-servers.ts'
import type { ServiceManager } from './service-manager.ts'

/** The csp that a manager has started, if it listens. */
export async function serverOf(
  { name }: Pick<ServiceManager, 'name'>,
  stateDir: string,
): Promise<RunningServerRecord | undefined> {
  return (await runningServers(stateDir)).find(({ manager }) => manager === name)
}

/** Waits until the service listens as another process than before. `undefined` when it fails, or takes too long. */
export async function untilServing(
  manager: ServiceManager,
  stateDir: string,
  before: RunningServerRecord | undefined,
): Promise<RunningServerRecord | undefined> {
  const endsAt = performance.now() + startMs
  let nextLook = performance.now() + lookMs
  while (performance.now() < endsAt) {
    const found = await serverOf(manager, stateDir)
    if (found && found.token !== before?.token) return found
    if (performance.now() > nextLook) {
      if (troubles.has((await manager.state()).state)) return undefined
      nextLook = performance.now() + lookMs
    }
    await Bun.sleep(50)
  }
  return undefined
}

/** It has ended, and the manager has given up or waits before it starts it again. */
const troubles: ReadonlySet<string | undefined> = new Set(['failed', 'activating', 'spawn scheduled'])

const startMs = 30_000
const lookMs = 1000
