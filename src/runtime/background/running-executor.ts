import { remote } from '../../executor/backends/remote/remote.ts'
import type { Executor } from '../../executor/executor.ts'
import { layer } from '../../executor/layers/layer.ts'
import { urlFetcher } from '../../executor/wire/fetcher.ts'
import type { LoadedConfig } from '../config/config.ts'
import { isCspAt } from '../server/csp-at.ts'
import type { Environment } from '../shell/shell.ts'
import { type RunningServerRecord, runningServers } from './running-servers.ts'
import { settingsDigest } from './settings-digest.ts'

/**
 * The csp of this user that already runs with the same settings, as an executor: it is warm, and has the cache, the queue
 * and the budget. `undefined` if none runs, or none answers.
 */
export async function runningExecutor(
  config: LoadedConfig['config'],
  environment: Environment,
): Promise<Executor | undefined> {
  const digest = settingsDigest(config, environment)
  return (await firstRunning(config, ({ settings }) => settings === digest))?.executor
}

/** Any csp of this user that runs, whatever its settings, with its address; never the sandbox, whose results are invented. */
export async function anyRunningExecutor(config: LoadedConfig['config']): Promise<RunningExecutor | undefined> {
  return firstRunning(config, ({ sandbox }) => !sandbox)
}

interface RunningExecutor {
  readonly url: string
  readonly executor: Executor
}

async function firstRunning(
  config: LoadedConfig['config'],
  fits: (server: RunningServerRecord) => boolean,
): Promise<RunningExecutor | undefined> {
  for (const { url, token } of (await runningServers(config.stateDir)).filter(fits)) {
    if (await isCspAt(url, token)) return { url, executor: asOwn(remote({ fetcher: urlFetcher(url, token) })) }
  }
  return undefined
}

/** It answers this user as it answers its other callers, from its memory where it cannot search. */
function asOwn(executor: Executor): Executor {
  return layer(executor, { search: (request, context) => executor.search({ memory: 'last', ...request }, context) })
}

/**
 * The same executor, in whose place the csp that already runs with these settings searches: it is looked for before each
 * search, so that it may start and stop meanwhile.
 */
export function preferRunning(own: Executor, config: LoadedConfig['config'], environment: Environment): Executor {
  return layer(own, {
    async *search(request, context) {
      const running = await runningExecutor(config, environment)
      yield* (running ?? own).search(request, context)
    },
  })
}
