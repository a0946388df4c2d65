import { readFile, rename, rm } from 'node:fs/promises'
import { parseJson } from '../../../lib/json.ts'
import { counted } from '../../../lib/text.ts'
import { ledgerEntry } from '../../../storage/ledger-files.ts'
import { replaceFile } from '../../../storage/replace-file.ts'
import { runningServers, withThisState } from '../../background/running-servers.ts'
import type { LoadedConfig } from '../../config/config.ts'
import { newerState } from '../../config/formats.ts'
import { csp } from '../../shell/program.ts'
import { cacheNames, ownFilesIn, stateNames } from '../own-files.ts'
import { type Finding, resultsOf } from './finding.ts'

/** Whether the entries of the cache can be read. A broken one is never served. */
export async function checkEntries({ cacheDir }: Pick<LoadedConfig['config'], 'cacheDir'>): Promise<Finding> {
  const { ok, warn } = resultsOf('entries')
  const broken: string[] = []
  let count = 0
  for (const path of ownFilesIn(cacheDir, cacheNames).filter((each) => each.endsWith('.json'))) {
    if (++count > maxEntries) break
    const text = await readFile(path, 'utf8').catch(() => '')
    if (parseJson(text) === undefined) broken.push(path)
  }
  if (broken.length === 0) return ok(`${count} in the cache, all whole`)
  const message = `${broken.length} of ${count} in the cache cannot be read, such as ${broken[0]}`
  return warn(message, `${csp} memory clear answers empties the cache; ${csp} doctor --fix removes these alone.`, {
    what: `remove ${counted(broken.length, 'broken entry', 'broken entries')} of the cache`,
    async run() {
      for (const path of broken) await rm(path, { force: true })
      return true
    },
  })
}

const maxEntries = 20_000

/** Whether every line of the ledger can be read. A broken one counts nothing. */
export async function checkLedger({ stateDir }: Pick<LoadedConfig['config'], 'stateDir'>): Promise<Finding> {
  const { ok, warn, fail } = resultsOf('ledger')
  const newer = newerState(stateDir)
  if (newer) return fail(newer)
  const files = ownFilesIn(stateDir, stateNames).filter((path) => path.endsWith('.ndjson'))
  const days = await Promise.all(files.map(dayIn))
  const broken = days.filter(({ lines, whole }) => whole.length < lines.length)
  if (broken.length === 0) return ok(`${counted(files.length, 'day')}, all lines whole`)
  const count = broken.reduce((sum, { lines, whole }) => sum + lines.length - whole.length, 0)
  const damaged = broken.map(({ path }) => path).join(' ')
  const runs = withThisState(await runningServers(stateDir)).length > 0
  const message = `${counted(count, 'line')} cannot be read, and ${count === 1 ? 'counts' : 'count'} nothing: ${damaged}`
  // A csp that runs reads on at the end of what it has read.
  if (runs) return warn(message, `${csp} stop --all; ${csp} doctor --fix`)
  return warn(message, `Limits are unaffected. Run ${csp} doctor --fix to remove them.`, {
    what: `take ${counted(count, 'broken line')} out of the ledger, and keep the former file as FILE.damaged`,
    async run() {
      for (const { path, whole } of broken) {
        await rename(path, `${path}.damaged`)
        await replaceFile(path, whole.map((line) => `\n${line}\n`).join(''))
      }
      return true
    },
  })
}

async function dayIn(path: string) {
  const text = await readFile(path, 'utf8').catch(() => '')
  const lines = text.split('\n').filter(Boolean)
  return { path, lines, whole: lines.filter((line) => ledgerEntry(line) !== undefined) }
}
