import { watchJson } from '../../../api/endpoints/watches.ts'
import { defaultModels } from '../../../domain/model.ts'
import type { Watch } from '../../../domain/watch.ts'
import { randomId } from '../../../lib/bytes.ts'
import { fromNow } from '../../../lib/times.ts'
import { type RunningServerRecord, runningServers, withThisState } from '../../background/running-servers.ts'
import { requireStateFolder } from '../../config/formats.ts'
import { duration, durationText } from '../../config/setting-types.ts'
import { CommandError, UsageError } from '../../config/usage-error.ts'
import { createLog } from '../../log/log.ts'
import { hasWatches, openWatchStore } from '../../server/open-jobs.ts'
import { prettyJson } from '../../shell/printed.ts'
import { csp } from '../../shell/program.ts'
import { safeLine } from '../../shell/terminal.ts'
import { defineCommand, exitCodes, type Invocation, type OptionDefinitions } from '../command.ts'
import { dialect, filterOptions, searchInput } from '../search-filters.ts'

const definitions = {
  every: { hint: 'TIME', parse: readEvery, help: 'How often: hour, day (the default), week, or a time such as 6h' },
  ...filterOptions,
  json: { help: 'Print JSON' },
} satisfies OptionDefinitions

/** `csp watch`: searches on a schedule, with a feed of what is new. */
export const watch = defineCommand({
  name: 'watch',
  usage: '[QUERY|remove ID] [FLAGS]',
  details:
    'Prints the address of an Atom feed: pages that no earlier run has found, and new passages of those that are known. Anyone with the address can read it, without a key. A csp that serves makes the searches, and each counts as one. Without arguments it lists the watches.',
  examples: [`${csp} watch "bun release" --every day`, `${csp} watch`, `${csp} watch remove ID`],
  options: definitions,
  words: { remove: [] },
  arguments: { minimum: 0, maximum: 2 },
  run: runWatch,
})

async function runWatch(invocation: Invocation<typeof definitions>): Promise<number> {
  const { shell, loaded, options } = invocation
  const [query, id] = invocation.arguments
  const { stateDir } = loaded.config
  if (id !== undefined && query !== 'remove') {
    throw new UsageError(`Put quotes around the query: ${csp} watch ${JSON.stringify(invocation.arguments.join(' '))}`)
  }
  if (query === 'remove' && id === undefined) throw new UsageError(`Usage: ${csp} watch remove ID`)
  requireStateFolder(stateDir)
  if (id !== undefined && !hasWatches(stateDir)) throw missing(id)
  if (query === undefined && !hasWatches(stateDir)) {
    shell.output.write(options.json ? '[]\n' : 'Nothing is watched.\n')
    return exitCodes.done
  }
  const wanted = query === undefined || id !== undefined ? undefined : readWatch(query, options)
  const store = openWatchStore(stateDir, createLog('warning', shell.errors))
  const servers = withThisState(await runningServers(stateDir))
  const address = ({ id: token }: Pick<Watch, 'id'>) =>
    `${servers[0]?.url ?? `http://127.0.0.1:${loaded.config.port}`}/v1/watches/${token}.atom`
  const print = (watches: readonly Watch[], whole: unknown) =>
    shell.output.write(options.json ? prettyJson(whole) : watches.map((each) => lines(each, address)).join(''))
  const jsonOf = (each: Watch) => ({ ...watchJson(each), feed: address(each) })
  try {
    if (wanted) {
      if (store.list().length >= maxWatches) {
        throw new UsageError(`There are ${maxWatches} watches already: ${csp} watch remove ID`)
      }
      store.add(wanted)
      print([wanted], jsonOf(wanted))
      const isRunning = await wake(servers)
      if (!isRunning && !options.json)
        shell.errors.write(`No csp is running to make the searches. Start it with: ${csp} start\n`)
    } else if (id === undefined) {
      const watches = store.list()
      print(watches, watches.map(jsonOf))
      if (watches.length === 0 && !options.json) shell.output.write('Nothing is watched.\n')
    } else {
      const token = id.replace(/^.*\/|\.atom$/g, '')
      if (!store.remove(token)) throw missing(id)
      shell.output.write(options.json ? `${JSON.stringify({ removed: token })}\n` : 'Removed.\n')
    }
    return exitCodes.done
  } finally {
    store.close()
  }
}

/** A watch that is due at once. Throws a `UsageError` for filters that are wrong. */
function readWatch(query: string, options: Invocation<typeof definitions>['options']): Watch {
  const request = dialect.parse(searchInput('watch', query, options), defaultModels)
  const now = Date.now()
  const id = randomId()
  return { id, request, everyMs: options.every ?? dayMs, createdAt: now, nextAt: now, seen: {} }
}

function missing(id: string): CommandError {
  return new CommandError(`There is no watch ${JSON.stringify(id)}. ${csp} watch lists them.`)
}

const maxWatches = 50
const dayMs = 86_400_000

function lines(watch: Watch, address: (watch: Watch) => string): string {
  const { request, everyMs, lastAt, problem } = watch
  const last = lastAt === undefined ? 'not searched yet' : `searched ${fromNow(new Date(lastAt).toISOString())}`
  const state = problem === undefined ? last : `${last}; the last try failed: ${safeLine(problem)}`
  return `${safeLine(request.query)}\n  every ${durationText(everyMs / 1000)}, ${state}\n  ${address(watch)}\n`
}

/** Has the csps that serve look for a new watch, and returns whether one does. */
async function wake(servers: readonly RunningServerRecord[]): Promise<boolean> {
  const asked = servers.map(async ({ url, token }) => {
    const headers = { authorization: `Bearer ${token}` }
    const reply = await fetch(`${url}/v1/watches`, { headers, signal: AbortSignal.timeout(5000) })
    return reply.ok
  })
  return (await Promise.allSettled(asked)).some((outcome) => outcome.status === 'fulfilled' && outcome.value)
}

/** Milliseconds. A search costs, and a feed that is read more often is of no use. */
function readEvery(text: string): number {
  const named: Readonly<Record<string, number>> = { hour: 3600, day: 86_400, week: 604_800 }
  const seconds = named[text] ?? duration(600).safeParse(text).data
  if (seconds === undefined || seconds > 366 * 86_400) {
    throw new UsageError('--every must be hour, day, week, or a time of 10 minutes or more such as 6h.')
  }
  return seconds * 1000
}
