import { counted } from '@csp/lib/text'
import { hostOf } from '@csp/lib/url'
import type { MemoryStats } from '../../../domain/memory.ts'
import { files } from '../../../storage/files.ts'
import { openStore } from '../../../storage/store.ts'
import type { LoadedConfig } from '../../config/config.ts'
import { UsageError } from '../../config/usage-error.ts'
import { capabilityFile } from '../../server/capability-file.ts'
import { memoryBytes, memoryPath } from '../../server/open-memory.ts'
import { linesText, prettyJson } from '../../shell/printed.ts'
import { csp } from '../../shell/program.ts'
import { defineCommand, exitCodes, type Invocation, type OptionDefinitions } from '../command.ts'
import { withMemory } from './open.ts'

const definitions = { json: { help: 'Print JSON' } } satisfies OptionDefinitions

/** `csp memory`: shows, forgets or exports what csp has kept. */
export const memory = defineCommand({
  name: 'memory',
  usage: '[clear KIND|forget SITE|export] [FLAGS]',
  details:
    'KIND is pages (those that csp has seen), answers (the cache), or models (parameters that models refused; the gateway learns these again). forget removes the pages of a site and its subdomains, also from the file. export prints each page with its text as a line of JSON. A running csp notices forgotten pages at once and models within five minutes. It keeps its answers in memory until it restarts.',
  examples: [
    `${csp} memory`,
    `${csp} memory forget example.org`,
    `${csp} memory clear answers`,
    `${csp} memory export > pages.ndjson`,
  ],
  options: definitions,
  words: { clear: ['pages', 'answers', 'models'], forget: [], export: [] },
  arguments: { minimum: 0, maximum: 2 },
  run: runMemory,
})

async function runMemory(invocation: Invocation<typeof definitions>): Promise<number> {
  const { shell, loaded, options } = invocation
  const [action, what = ''] = invocation.arguments
  const print = (text: string, json: object) => {
    shell.output.write(options.json ? `${JSON.stringify({ action, ...json })}\n` : `${text}\n`)
  }
  const { config } = loaded
  const clear = Object.hasOwn(clearing, what) ? clearing[what] : undefined
  if (action === undefined) {
    const kept = await keptBy(config)
    shell.output.write(options.json ? prettyJson(kept) : keptText(kept))
  } else if (action === 'export' && !what) {
    withMemory(config, undefined, (file) => {
      for (const page of file.pages()) shell.output.write(`${JSON.stringify(page)}\n`)
    })
  } else if (action === 'clear' && clear) {
    const { text, ...json } = await clear(config)
    print(`Forgot ${text}`, { kind: what, ...json })
  } else if (action === 'forget' && hostOf(what)) {
    const pages = withMemory(config, 0, (file) => file.forget({ site: what }))
    print(`Forgot ${counted(pages, 'page')} of ${hostOf(what)}`, { site: hostOf(what), pages })
  } else throw new UsageError(`Usage: ${csp} memory [clear pages|answers|models, forget SITE, or export]`)
  return exitCodes.done
}

type Places = LoadedConfig['config']

const clearing: Readonly<Record<string, (config: Places) => Promise<{ readonly text: string }>>> = {
  async pages(config) {
    const pages = withMemory(config, 0, (file) => file.forget())
    return { text: counted(pages, 'page'), pages }
  },
  async answers(config) {
    const { store, ...kept } = await answersIn(config)
    await store.clear()
    return { text: answersText(kept), ...kept }
  },
  async models({ stateDir }) {
    const file = capabilityFile(stateDir)
    const models = await file.forget()
    return { text: `what was learned about ${counted(models, 'model')}, in ${file.path}`, models, path: file.path }
  },
}

async function answersIn({ cacheDir: directory }: Places) {
  const store = openStore(files({ directory }))
  const { entries, bytes } = await store.stats()
  return { store, entries, bytes, directory }
}

/** All that csp keeps to use again, by kind. */
async function keptBy(config: Places) {
  const stats = withMemory<MemoryStats>(config, { pages: 0, bytes: 0, sites: 0 }, (file) => file.stats())
  const { store: _, ...answers } = await answersIn(config)
  const file = capabilityFile(config.stateDir)
  const { length } = await file.list()
  const pages = { ...stats, max_bytes: memoryBytes, path: memoryPath(config.stateDir) }
  return { pages, answers, models: { models: length, path: file.path } }
}

function keptText({ pages, answers, models }: Awaited<ReturnType<typeof keptBy>>): string {
  return linesText([
    `pages: ${pagesText(pages)}`,
    `answers: ${answersText(answers)}`,
    `models: ${counted(models.models, 'model')} of the gateway, in ${models.path}`,
  ])
}

function answersText({ entries, bytes, directory }: { entries: number; bytes: number; directory: string }): string {
  return `${counted(entries, 'answer')}, ${(bytes / 1024).toFixed(1)} KiB, in ${directory}`
}

function pagesText({ pages, bytes, sites, oldest, newest, max_bytes, path }: PagesKept): string {
  const size = `${(bytes / 1e6).toFixed(1)} of ${max_bytes / 1e6} MB`
  const period = oldest && newest ? `, seen from ${oldest.slice(0, 10)} to ${newest.slice(0, 10)}` : ''
  return `${counted(pages, 'page')} of ${counted(sites, 'site')}, ${size}${period}, in ${path}`
}

type PagesKept = Awaited<ReturnType<typeof keptBy>>['pages']
