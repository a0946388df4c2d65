import type { MemoryStats } from '../../../domain/memory.ts'
import { counted } from '../../../lib/text.ts'
import { hostOf } from '../../../lib/url.ts'
import { memoryBytes, memoryPath } from '../../bun/open-memory.ts'
import { UsageError } from '../../config/usage-error.ts'
import { csp } from '../../shell/program.ts'
import { defineCommand, exitCodes, type Invocation, type OptionDefinitions } from '../command.ts'
import { withMemory } from './open.ts'

const definitions = { json: { help: 'Print JSON' } } satisfies OptionDefinitions

/** `csp memory`: shows, forgets or exports the pages that csp has seen. */
export const memory = defineCommand({
  name: 'memory',
  usage: 'stats|clear|export|forget SITE [FLAGS]',
  details:
    'forget removes the pages of a site and its subdomains, clear all of them, from the file as well. export prints each page with its text as a line of JSON. A csp that runs notices at once.',
  examples: [`${csp} memory stats`, `${csp} memory forget example.org`, `${csp} memory export > pages.ndjson`],
  options: definitions,
  words: { stats: [], forget: [], clear: [], export: [] },
  arguments: { minimum: 1, maximum: 2 },
  run: runMemory,
})

async function runMemory(invocation: Invocation<typeof definitions>): Promise<number> {
  const { shell, loaded, options } = invocation
  const [action, site] = invocation.arguments
  const print = (text: string, json: object) => {
    shell.output.write(`${options.json ? JSON.stringify({ action, ...json }) : text}\n`)
  }
  const { config } = loaded
  if (action === 'export' && site === undefined) {
    withMemory(config, undefined, (file) => {
      for (const page of file.pages()) shell.output.write(`${JSON.stringify(page)}\n`)
    })
  } else if (action === 'stats' && site === undefined) {
    const path = memoryPath(config.stateDir)
    const stats = withMemory<MemoryStats>(config, { pages: 0, bytes: 0, sites: 0 }, (file) => file.stats())
    print(statsText(stats, memoryBytes / 1e6, path), { ...stats, max_bytes: memoryBytes, path })
  } else if (action === 'clear' && site === undefined) {
    const pages = withMemory(config, 0, (file) => file.forget())
    print(`Forgot ${counted(pages, 'page')}`, { pages })
  } else if (action === 'forget' && site !== undefined && hostOf(site)) {
    const pages = withMemory(config, 0, (file) => file.forget({ site }))
    print(`Forgot ${counted(pages, 'page')} of ${hostOf(site)}`, { site: hostOf(site), pages })
  } else throw new UsageError(`Usage: ${csp} memory stats|clear|export|forget SITE`)
  return exitCodes.done
}

function statsText({ pages, bytes, sites, oldest, newest }: MemoryStats, maxMegabytes: number, path: string): string {
  const size = `${(bytes / 1e6).toFixed(1)} of ${maxMegabytes} MB`
  const period = oldest && newest ? `, seen from ${oldest.slice(0, 10)} to ${newest.slice(0, 10)}` : ''
  return `${counted(pages, 'page')} of ${counted(sites, 'site')}, ${size}${period}, in ${path}`
}
