import type { BunPlugin } from 'bun'

interface WorkerModule {
  readonly type: 'ESModule'
  readonly path: string
  readonly contents: string
}

/**
 * The code of a Worker, put together as wrangler does it, for miniflare's `modules`. Given a script alone, miniflare
 * parses all of it for imports at each start, half a second. Throws when it cannot be bundled.
 */
export async function workerModules(
  entry: string,
  { plugins = [], appended = '' }: { readonly plugins?: BunPlugin[]; readonly appended?: string } = {},
): Promise<WorkerModule[]> {
  const { outputs, success, logs } = await Bun.build({
    entrypoints: [entry],
    target: 'browser',
    format: 'esm',
    conditions: ['workerd', 'worker'],
    external: ['cloudflare:*', 'node:*'],
    plugins,
  })
  const [output] = outputs
  if (!success || !output) throw new AggregateError(logs, `${entry} could not be bundled.`)
  return [{ type: 'ESModule', path: 'worker.js', contents: `${await output.text()}\n${appended}` }]
}
