import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Executor } from '../../executor/executor.ts'
import { type BackgroundJobs, backgroundJobs } from '../../jobs/background-jobs.ts'
import type { JobStore } from '../../jobs/job-store.ts'
import { jobDatabase } from '../../storage/job-database.ts'
import { withStoreFailures } from '../../storage/store-failure.ts'
import { refuseNewerState } from '../config/formats.ts'
import type { Config } from '../config/settings.ts'
import type { Log } from '../log/log.ts'

/** The jobs of a state folder, run over an executor; `undefined` if none may run. Costs nothing until the first one. */
export function openJobs(
  { jobs: all }: Pick<Config, 'jobs'>,
  stateDir: string,
  executor: Executor,
  log: Log,
): BackgroundJobs | undefined {
  if (all === 0) return undefined
  // One caller never has all places.
  const limits = { all, each: Math.max(1, all - 1) }
  const running = backgroundJobs({ openStore: () => openJobStore(stateDir, log), executor, limits, log })
  const isThere = () => hasJobs(stateDir)
  return {
    ...running,
    resume: () => isThere() && running.resume(),
    counts: async () => (isThere() ? running.counts() : { queued: 0, running: 0 }),
  }
}

/** The jobs of a state folder as they are kept. Throws a `UsageError` for that of a newer csp. */
export function openJobStore(stateDir: string, log: Log): JobStore {
  refuseNewerState(stateDir)
  const onDamage = (message: string) => log('warning', message)
  return withStoreFailures(() => jobDatabase({ path: jobsPath(stateDir), ...bounds, onDamage }))
}

/** Whether a state folder has any. */
export function hasJobs(stateDir: string): boolean {
  return existsSync(jobsPath(stateDir))
}

const bounds = { maxDays: 30, maxEach: 200, maxAll: 1000 }

function jobsPath(stateDir: string): string {
  return join(stateDir, 'jobs', 'jobs.sqlite')
}
