import type { ExecutorHealth } from '../../domain/health.ts'
import { remote } from '../../executor/backends/remote/remote.ts'
import { urlFetcher } from '../../executor/backends/remote/url-fetcher.ts'
import type { Executor } from '../../executor/executor.ts'
import { Breaker } from '../../executor/layers/resilience/breaker.ts'
import { createBackendStack, createStack } from '../../executor/layers/stack.ts'
import type { Fetcher } from '../../executor/wire/fetcher.ts'
import { homesHealth } from '../../tunnel/status.ts'
import { openBackends } from '../backends.ts'
import type { Config } from '../config/settings.ts'

/** A csp elsewhere that can answer. */
export interface RemoteCsp {
  readonly name: string
  readonly fetcher: Fetcher
  /** How it stands. Absent: it is asked itself. */
  readonly health?: (() => Promise<ExecutorHealth>) | undefined
}

/** Where there is a whole csp to ask: the homes at the other end of the tunnel, then the one of the backend `remote`. */
export function remoteCsps({ backends, remoteUrl, remoteKey }: Config, tunnel: Fetcher): readonly RemoteCsp[] {
  const homes = { name: 'home', fetcher: tunnel, health: () => homesHealth(tunnel, 'home') }
  if (!backends.includes('remote') || remoteUrl === undefined) return [homes]
  return [homes, { name: 'remote', fetcher: urlFetcher(remoteUrl, remoteKey) }]
}

/**
 * Creates each backend, in the order in which they are asked: the homes, then those of the setting `backends` that need
 * no machine. `claude` among them means a home.
 *
 * The second group is a stack of its own, with paging inside the fallback: a home pages its lists itself, from rows that
 * it has kept, and must see counts and offsets as the caller sent them. There is neither a queue nor a retry: each would
 * make a search wait for another request's work, or hold the Worker.
 */
export function edgeBackends(config: Config, homes: readonly RemoteCsp[]): readonly (() => Executor)[] {
  const timeoutMs = config.timeout * 1000
  const makeHomes = homes.map(
    (home) => () => createBackendStack(remote(home), { timeoutMs: timeoutMs + maxHomeQueueMs }),
  )
  const backends = config.backends.filter((name) => name !== 'claude' && name !== 'remote')
  if (backends.length === 0) return makeHomes

  const breakers = new Map(backends.map((name) => [name as string, new Breaker({ name })]))
  const inService = (backend: Executor) =>
    createBackendStack(backend, { breaker: breakers.get(backend.name), timeoutMs })
  const makeOthers = () =>
    createStack(openBackends({ ...config, backends }).map(inService), { paging: { ttlSeconds: 0 } })
  return [...makeHomes, makeOthers]
}

/** A search may wait in a home's queue, which the home's own deadline does not count. */
const maxHomeQueueMs = 60_000
