import type { BunPlugin } from 'bun'

/** The code of a Worker as one module, put together as wrangler does it. Throws when it cannot be. */
export async function bundle(entry: string, plugins: BunPlugin[] = []): Promise<string> {
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
  return output.text()
}
