import type { SearchRequest } from '../../domain/search.ts'
import { type ClaudeExecutor, type ClaudeOptions, claude } from '../../executor/backends/claude/claude.ts'
import type { Executor } from '../../executor/executor.ts'
import { cached } from '../../executor/layers/cache/cached.ts'
import type { Meter } from '../../executor/layers/metering/budget.ts'
import { metered } from '../../executor/layers/metering/metered.ts'
import { paged } from '../../executor/layers/paging/paged.ts'
import { Breaker } from '../../executor/layers/resilience/breaker.ts'
import { guardedWriter } from '../../executor/layers/resilience/circuit-breaking.ts'
import { fallback } from '../../executor/layers/resilience/fallback.ts'
import { type ResilientOptions, resilient } from '../../executor/layers/resilience/resilient.ts'
import { sanitised } from '../../executor/layers/sanitising/sanitised.ts'
import { files } from '../../storage/files.ts'
import { openStore, type Store } from '../../storage/store.ts'
import { openBackends } from '../backends.ts'
import type { LoadedConfig } from '../config/config.ts'
import type { Config } from '../config/config-schema.ts'
import type { Log } from '../log/log.ts'
import type { Environment } from '../shell/shell.ts'
import { version } from '../version.ts'
import { claudeBinary } from './claude-binary.ts'

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

/** The backends, each behind what keeps it in working order; before them what they share. */
export function buildExecutor(
  config: LoadedConfig['config'],
  environment: Environment,
  directories: Directories,
  budget: Meter,
  log: Log,
): BuiltExecutor {
  let engine: ClaudeExecutor | undefined
  const breaker = new Breaker({ name: 'claude', limitOf: limitOf(config) })
  const makeClaude = (): ClaudeExecutor => {
    engine = claude(claudeOptions(config, environment, directories, log))
    return { ...engine, ...guardedWriter(breaker, engine) }
  }
  const sandboxUrl = config.sandbox ? environment['ANTHROPIC_BASE_URL'] : undefined
  const backends = openBackends(config, { makeClaude, sandboxUrl })
  const lines = backends.map((backend) => resilient(lineFor(backend.name, config, breaker))(backend))
  const store = openStore(files({ directory: directories.cache }))
  const cache = cached({ storage: store, ttlSeconds: config.cacheTtl, oldSeconds: config.cacheStale })
  const pages = paged({ ttlSeconds: config.cacheTtl })
  const meter = metered(budget)
  return { executor: cache(pages(meter(sanitised(fallback(lines))))), store, warm: async () => engine?.warm() }
}

function claudeOptions(
  config: LoadedConfig['config'],
  environment: Environment,
  { work: workingDirectory }: Directories,
  log: Log,
): ClaudeOptions {
  const { model, excerpts, maxSessionSearches, sessionContext, auth } = config
  const findBinary = () => claudeBinary(config, environment)
  const settings = { model, excerpts, maxSessionSearches, sessionContext, auth }
  return { ...settings, findBinary, environment, workingDirectory, version, log }
}

/** How much a backend is asked, and how often again. */
function lineFor(name: string, config: Config, breaker: Breaker): ResilientOptions {
  const { concurrency, queue: capacity, rate } = config
  const timeoutMs = config.timeout * 1000
  // A CLI that died has been replaced by then, and has tried twice itself; one more try is for an API that needs a second longer.
  if (name === 'claude') return { concurrency, capacity, startsPerSecond: rate, timeoutMs, retries: 1, breaker }
  // The others keep their own pace, and a deadline of their own for each request.
  const other = { concurrency: 5, capacity, startsPerSecond: 0, timeoutMs }
  return name === 'messages' ? { ...other, limitOf: limitOf(config) } : other
}

/** Some models have a limit of their own. */
function limitOf({ model: main }: Config): (request: SearchRequest) => string {
  return ({ model = main }) => (model === main ? '' : model)
}
