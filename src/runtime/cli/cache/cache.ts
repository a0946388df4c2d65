import { counted } from '../../../lib/text.ts'
import { UsageError } from '../../config/usage-error.ts'
import { csp } from '../../shell/program.ts'
import { defineCommand, exitCodes, type Invocation, type OptionDefinitions } from '../command.ts'

const definitions = { json: { help: 'Print JSON' } } satisfies OptionDefinitions

/** `csp cache`: shows or clears the answer cache. */
export const cache = defineCommand({
  name: 'cache',
  usage: 'stats|clear [FLAGS]',
  details:
    'clear empties the folder. A running csp keeps its answers in memory until it restarts; `Cache-Control: no-cache` bypasses the cache for one request.',
  examples: [`${csp} cache stats`, `${csp} cache clear`],
  options: definitions,
  words: { stats: [], clear: [] },
  arguments: { minimum: 1, maximum: 1 },
  run: runCache,
})

async function runCache({
  shell,
  loaded,
  options,
  arguments: [action],
}: Invocation<typeof definitions>): Promise<number> {
  if (action !== 'stats' && action !== 'clear') throw new UsageError(`Usage: ${csp} cache stats|clear`)
  const { files } = await import('../../../storage/files.ts')
  const { openStore } = await import('../../../storage/store.ts')
  const directory = loaded.config.cacheDir
  const store = openStore(files({ directory }))
  const { entries, bytes } = await store.stats()
  if (action === 'clear') await store.clear()

  const size = `${counted(entries, 'answer')}, ${(bytes / 1024).toFixed(1)} KiB`
  const text = action === 'clear' ? `Forgot ${size}, in ${directory}` : `${size}, in ${directory}`
  shell.output.write(`${options.json ? JSON.stringify({ action, entries, bytes, directory }) : text}\n`)
  return exitCodes.done
}
