import type { ExecutorHealth } from '../../domain/health.ts'
import { remote } from '../../executor/backends/remote/remote.ts'
import { urlFetcher } from '../../executor/backends/remote/url-fetcher.ts'
import type { Executor } from '../../executor/executor.ts'
import { paged } from '../../executor/layers/paging/paged.ts'
import { Breaker } from '../../executor/layers/resilience/breaker.ts'
import { guarded } from '../../executor/layers/resilience/circuit-breaking.ts'
import { timed } from '../../executor/layers/resilience/deadline.ts'
import { fallback } from '../../executor/layers/resilience/fallback.ts'
import type { Fetcher } from '../../executor/wire/fetcher.ts'
import { homesHealth } from '../../tunnel/status.ts'
import { openBackends } from '../backends.ts'
import type { Config } from '../config/config-schema.ts'

/** A csp elsewhere that can answer. */
export interface EdgeHome {
  readonly name: string
  readonly fetcher: Fetcher
  /** How it stands. Absent: it is asked itself. */
  readonly health?: (() => Promise<ExecutorHealth>) | undefined
}

/** Where there is a whole csp to ask: the homes at the other end of the tunnel, then the one of the backend `remote`. */
export function edgeHomes({ backends, remoteUrl, remoteKey }: Config, tunnel: Fetcher): readonly EdgeHome[] {
  const homes = { name: 'home', fetcher: tunnel, health: () => homesHealth(tunnel, 'home') }
  if (!backends.includes('remote') || remoteUrl === undefined) return [homes]
  return [homes, { name: 'remote', fetcher: urlFetcher(remoteUrl, remoteKey) }]
}

/**
 * Makes each backend, in the order in which they are asked: the homes, then those of the setting `backends` that need no
 * machine. `claude` among them means a home. Counts and pages of a list are made by the home, or here where there is none.
 */
export function edgeBackends(config: Config, homes: readonly EdgeHome[]): readonly (() => Executor)[] {
  const timeoutMs = config.timeout * 1000
  const makeHomes = homes.map((home) => () => timed({ timeoutMs: timeoutMs + longestLineMs })(remote(home)))
  const backends = config.backends.filter((name) => name !== 'claude' && name !== 'remote')
  if (backends.length === 0) return makeHomes

  const breakers = new Map(backends.map((name) => [name as string, new Breaker({ name })]))
  const guard = (executor: Executor): Executor => {
    const breaker = breakers.get(executor.name)
    return breaker ? guarded(breaker, timed({ timeoutMs }))(executor) : executor
  }
  const makeOthers = () => paged({ ttlSeconds: 0 })(fallback(openBackends({ ...config, backends }).map(guard)))
  return [...makeHomes, makeOthers]
}

/** A home may keep a search waiting in its line, which its own deadline does not count. */
const longestLineMs = 60_000
