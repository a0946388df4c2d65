import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Executor } from '../../src/executor/executor.ts'
import { type BackgroundJobs, backgroundJobs } from '../../src/jobs/background-jobs.ts'
import type { JobStore, RunningLimits } from '../../src/jobs/job-store.ts'
import { jobDatabase } from '../../src/storage/job-database.ts'

/** A file for jobs in a folder of its own. */
export function jobsPath(): string {
  return join(mkdtempSync(join(tmpdir(), 'csp-jobs-')), 'jobs', 'jobs.sqlite')
}

export function testStore(path: string, options: Partial<Parameters<typeof jobDatabase>[0]> = {}): JobStore {
  return jobDatabase({ path, maxDays: 30, maxEach: 200, maxAll: 1000, onDamage: () => {}, ...options })
}

export function testJobs(
  executor: Executor,
  options: { path?: string; limits?: RunningLimits; log?: string[]; now?: () => number } = {},
): BackgroundJobs {
  const { path = jobsPath(), limits = { all: 3, each: 2 }, log = [], now } = options
  return backgroundJobs({
    openStore: () => testStore(path),
    executor,
    limits,
    log: (level, message) => log.push(`${level} ${message}`),
    ...(now && { now }),
    renewMs: 50,
  })
}
