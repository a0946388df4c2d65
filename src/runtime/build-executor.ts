import type { Meter } from '../executor/budget.ts'
import { cached } from '../executor/cached.ts'
import { claude } from '../executor/claude/claude.ts'
import type { Executor } from '../executor/executor.ts'
import { metered } from '../executor/metered.ts'
import { paged } from '../executor/paged.ts'
import { queued } from '../executor/queued.ts'
import { timed } from '../executor/timed.ts'
import { files } from '../storage/files.ts'
import { openStore, type Store } from '../storage/store.ts'
import { claudeBinary } from './claude-binary.ts'
import type { Environment, LoadedConfig } from './config.ts'
import type { Log } from './log.ts'
import { version } from './version.ts'

/** The folders that an executor works with. */
export interface Directories {
  /** Empty: what the CLI takes for its project. */
  readonly work: string
  readonly cache: string
}

export interface BuiltExecutor {
  readonly executor: Executor
  /** Where its answers are kept. It outlives the executor, and whoever built it closes it. */
  readonly store: Store
  /** Starts what a first search would have to wait for. Never throws. */
  warm(): Promise<void>
}

/** The CLI behind a deadline, a queue, the pages of result lists and a cache. */
export function buildExecutor(
  config: LoadedConfig['config'],
  environment: Environment,
  directories: Directories,
  budget: Meter,
  log: Log,
): BuiltExecutor {
  const engine = claude({
    findBinary: () => claudeBinary(config, environment),
    environment,
    workingDirectory: directories.work,
    model: config.model,
    excerpts: config.excerpts,
    maxSessionSearches: config.maxSessionSearches,
    sessionContext: config.sessionContext,
    auth: config.auth,
    version,
    log,
  })
  const deadline = timed({ timeoutMs: config.timeout * 1000 })
  const queue = queued({ concurrency: config.concurrency, capacity: config.queue, startsPerSecond: config.rate })
  const store = openStore(files({ directory: directories.cache }))
  const cache = cached({ storage: store, ttlSeconds: config.cacheTtl })
  const pages = paged({ ttlSeconds: config.cacheTtl })
  return { executor: cache(pages(metered(budget)(queue(deadline(engine))))), store, warm: () => engine.warm() }
}
