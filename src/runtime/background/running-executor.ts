import { remote } from '../../executor/backends/remote/remote.ts'
import type { Executor } from '../../executor/executor.ts'
import { layer } from '../../executor/layers/layer.ts'
import { urlFetcher } from '../../executor/wire/fetcher.ts'
import { isCspAt } from '../server/csp-at.ts'
import { type RunningServerRecord, runningServers } from './running-servers.ts'
import { type Asking, type WhatRuns, whatRuns } from './what-runs.ts'

/** A csp of this user that runs, as an executor: it is warm, and has the cache, the queue and the budget. */
export function executorOf({ url, token }: Pick<RunningServerRecord, 'url' | 'token'>): Executor {
  return asOwn(remote({ fetcher: urlFetcher(url, token) }))
}

/** Any csp of this user that runs, whatever its settings, with its address; never the sandbox, which searches no web. */
export async function anyRunningExecutor({ loaded }: Pick<Asking, 'loaded'>): Promise<RunningExecutor | undefined> {
  for (const server of await runningServers(loaded.config.stateDir)) {
    const { url, token, sandbox } = server
    if (!sandbox && (await isCspAt(url, token))) return { url, executor: executorOf(server) }
  }
  return undefined
}

interface RunningExecutor {
  readonly url: string
  readonly executor: Executor
}

/** It answers this user as it answers its other callers, from its memory where it cannot search. */
function asOwn(executor: Executor): Executor {
  return layer(executor, { search: (request, context) => executor.search({ memory: 'last', ...request }, context) })
}

/**
 * The same executor, in whose place the csp that already runs searches, where it does what the command was told: it is
 * looked for before each search, so that it may start and stop meanwhile. `onFound` is told what was found.
 */
export function preferRunning(own: Executor, asking: Asking, onFound: (found: WhatRuns) => void = () => {}): Executor {
  return layer(own, {
    async *search(request, context) {
      const found = await whatRuns(asking)
      onFound(found)
      const executor = found.kind === 'usable' ? executorOf(found.server) : own
      yield* executor.search(request, context)
    },
  })
}
