import type { Gateway } from '@csp/gateway/gateway'
import type { UpstreamCall } from '@csp/gateway/upstream'
import type { ExecutorHealth } from '../../domain/health.ts'
import { remote } from '../../executor/backends/remote/remote.ts'
import type { Executor } from '../../executor/executor.ts'
import { Breaker } from '../../executor/layers/resilience/breaker.ts'
import { createBackendStack, createStack } from '../../executor/layers/stack.ts'
import type { Fetcher } from '../../executor/wire/fetcher.ts'
import { urlFetcher } from '../../executor/wire/fetcher.ts'
import { homesHealth } from '../../tunnel/status.ts'
import { createBackends } from '../backends.ts'
import { type Config, usedBackends } from '../config/settings.ts'
import { modelWriter } from '../writers.ts'

/** Another csp that can answer. */
export interface RemoteCsp {
  readonly name: string
  readonly fetcher: Fetcher
  /** Absent: its `/health` is asked. */
  readonly health?: (() => Promise<ExecutorHealth>) | undefined
}

/** The complete csps that can be asked: the homes behind the tunnel, then that of the backend `remote`. */
export function remoteCsps({ backends, remoteUrl, remoteKey }: Config, tunnel: Fetcher): readonly RemoteCsp[] {
  const homes = { name: 'home', fetcher: tunnel, health: () => homesHealth(tunnel, 'home') }
  if (!backends.includes('remote') || remoteUrl === undefined) return [homes]
  return [homes, { name: 'remote', fetcher: urlFetcher(remoteUrl, remoteKey) }]
}

/** What the Worker's own writers are made with. */
export interface EdgeWriterParts {
  readonly gateway: Gateway | undefined
  readonly onCall: (call: UpstreamCall) => void
}

/**
 * Creates each backend, in the order in which they are asked: the homes, then those of the setting `backends` that need
 * no machine. `claude` among them means a home.
 *
 * The HTTP backends form a separate stack, with paging inside the fallback: a home pages its lists itself, from rows that
 * it has stored, and must receive counts and offsets as the caller sent them. There is neither a queue nor a retry: each
 * would make a search wait for another request's work, or block the Worker.
 */
export function edgeBackends(
  config: Config,
  homes: readonly RemoteCsp[],
  { gateway, onCall }: EdgeWriterParts,
): readonly (() => Executor)[] {
  const timeoutMs = config.timeout * 1000
  const createHomes = homes.map(
    (home) => () => createBackendStack(remote(home), { timeoutMs: timeoutMs + maxHomeQueueMs, restarts: true }),
  )
  const backends = config.backends.filter((name) => name !== 'claude' && name !== 'remote')
  if (backends.length === 0) return createHomes

  // Claude writes at home alone.
  const writers = config.writers?.filter((name) => name !== 'claude')
  const used = usedBackends({ backends, writers })
  const breakers = new Map([...used, ...(writers ?? [])].map((name) => [name, new Breaker({ name })]))
  const inService = (backend: Executor) =>
    createBackendStack(backend, { breaker: breakers.get(backend.name), timeoutMs })
  const createOthers = () => {
    const stacks = createBackends({ ...config, backends: [...used] }).map(inService)
    const writing = writers?.flatMap((name) => {
      if (!name.includes('/')) return stacks.filter((stack) => stack.name === name)
      return gateway ? inService(modelWriter(name, { gateway, onCall })) : []
    })
    const named = writing && { writers: writing, areWritersNamed: true }
    return createStack(stacks.slice(0, backends.length), { paging: { ttlSeconds: 0 }, ...named })
  }
  return [...createHomes, createOthers]
}

/** The time that a search may wait in the queue of a home, which the home's own deadline does not include. */
const maxHomeQueueMs = 60_000
