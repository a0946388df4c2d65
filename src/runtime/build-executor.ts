import { join } from 'node:path'
import { cached } from '../executor/cached.ts'
import { claude } from '../executor/claude/claude.ts'
import { findClaude } from '../executor/claude/launch.ts'
import type { Executor } from '../executor/executor.ts'
import { queued } from '../executor/queued.ts'
import { timed } from '../executor/timed.ts'
import { files } from '../storage/files.ts'
import { openStore } from '../storage/store.ts'
import type { Environment, LoadedConfig } from './config.ts'
import type { Log } from './log.ts'

/** The folders that an executor works with. */
export interface Directories {
  /** Empty: what the CLI takes for its project. */
  readonly work: string
  readonly cache: string
}

/** The CLI behind a deadline, a queue and a cache. */
export function buildExecutor(
  config: LoadedConfig['config'],
  environment: Environment,
  directories: Directories,
  log: Log,
): Executor {
  const engine = claude({
    binary: claudeBinary(config, environment),
    environment,
    workingDirectory: directories.work,
    model: config.model,
    effort: config.effort,
    excerpts: config.excerpts,
    maxSessionSearches: config.maxSessionSearches,
    sessionContext: config.sessionContext,
    auth: config.auth,
    log,
  })
  const deadline = timed({ timeoutMs: config.timeout * 1000 })
  const queue = queued({ concurrency: config.concurrency, capacity: config.queue, startsPerSecond: config.rate })
  const cache = cached({ storage: openStore(files({ directory: directories.cache })), ttlSeconds: config.cacheTtl })
  return cache(queue(deadline(engine)))
}

/** The CLI to run: the one that was named, else the one on PATH, else the one among the dependencies. */
export function claudeBinary(config: Pick<LoadedConfig['config'], 'claudeBin'>, environment: Environment) {
  return findClaude({ ...environment, CSP_CLAUDE_BIN: config.claudeBin }, [packageRoot])
}

const packageRoot = join(import.meta.dir, '..', '..')
