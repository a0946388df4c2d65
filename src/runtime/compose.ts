import type { Executor } from '../executor/executor.ts'
import type { Environment, LoadedConfig } from './config.ts'
import { deferred } from './deferred.ts'
import type { Log } from './log.ts'
import { openScratch } from './scratch.ts'

/** All that answers a search, put together. */
export interface Composition {
  readonly executor: Executor
  /** Stops what runs and removes what it left. Idempotent. */
  close(): Promise<void>
}

/** Puts cache, queue, deadline and CLI together as the configuration says. Costs nothing until the first use. */
export function compose(config: LoadedConfig['config'], environment: Environment, log: Log): Composition {
  const scratch = openScratch()
  let stopSandbox = async (): Promise<void> => {}

  const executor = deferred('claude', async () => {
    const { buildExecutor } = await import('./build-executor.ts')
    const directories = {
      work: scratch.folder('work'),
      cache: config.sandbox ? scratch.folder('cache') : config.cacheDir,
    }
    if (!config.sandbox) return buildExecutor(config, environment, directories, log)
    const { serveSandbox } = await import('./serve-sandbox.ts')
    const sandbox = serveSandbox(environment, scratch.folder('home'))
    stopSandbox = sandbox.stop
    return buildExecutor(config, sandbox.environment, directories, log)
  })

  return {
    executor,
    async close() {
      await executor.close()
      await stopSandbox()
      scratch.remove()
    },
  }
}
