import { existsSync, type Stats, statSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '@csp/lib/errors'
import { counted } from '@csp/lib/text'
import { inspectDatabase } from '../../../storage/page-memory/schema.ts'
import { isBroken } from '../../../storage/sqlite.ts'
import type { LoadedConfig } from '../../config/config.ts'
import { newerState } from '../../config/formats.ts'
import { homeFolder } from '../../config/home.ts'
import { proxyFileNames } from '../../config/proxy-files.ts'
import { settings } from '../../config/settings.ts'
import { UsageError } from '../../config/usage-error.ts'
import { readKeyFile } from '../../server/key-file.ts'
import { memoryBytes, memoryPath } from '../../server/open-memory.ts'
import { csp } from '../../shell/program.ts'
import type { Environment } from '../../shell/shell.ts'
import { ownFilesIn, stateNames } from '../own-files.ts'
import { type Finding, resultsOf } from './finding.ts'

/** Whether other users of this machine can read what is meant for the owner alone. */
export async function checkPermissions(loaded: LoadedConfig, environment: Environment): Promise<Finding> {
  const { config } = loaded
  const { ok, warn } = resultsOf('permissions')
  if (process.platform === 'win32') return ok('left to Windows')
  const home = homeFolder(environment)
  const all = [
    ...(holdsSecret(loaded) ? [loaded.path] : []),
    ...[config.keyFile, config.stateDir, config.cacheDir],
    ...ownFilesIn(config.stateDir, stateNames),
    ...proxyFileNames.map((name) => join(home, name)),
  ]
  const foreign = all.filter((file) => isForeign(statOf(file)))
  if (foreign.length > 0) return warn(`another user owns ${listOf(foreign)}`, `chown $(id -u) ${listOf(foreign)}`)
  const open = all.filter((file) => isOpen(statOf(file)))
  if (open.length === 0) return ok('state, keys and configuration are yours alone')
  return warn(`other users of this machine can read ${listOf(open)}`, `chmod go= ${listOf(open)}`, {
    what: `take ${listOf(open)} from other users`,
    async run() {
      for (const file of open) await chmod(file, (statOf(file)?.mode ?? 0) & 0o700)
      return !open.some((file) => isOpen(statOf(file)))
    },
  })
}

function holdsSecret({ path, origins }: LoadedConfig): boolean {
  return settings.some(({ name, secret }) => secret && origins[name].startsWith(`${path} line`))
}

/** Whether the file of keys can be read. Returns the finding of a damaged one only. */
export async function checkKeyFile({ keyFile }: Pick<LoadedConfig['config'], 'keyFile'>): Promise<Finding | undefined> {
  try {
    await readKeyFile(keyFile)
    return undefined
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return resultsOf('keys').fail(error.message, `mv '${keyFile}' '${keyFile}.damaged'`)
  }
}

/** Whether a newer csp wrote the state folder. Returns the finding of such a one only. */
export function checkFormat({ stateDir }: Pick<LoadedConfig['config'], 'stateDir'>): Finding | undefined {
  const newer = newerState(stateDir)
  return newer === undefined ? undefined : resultsOf('state').fail(newer)
}

function isOpen(found: Stats | undefined): boolean {
  return found !== undefined && (found.mode & 0o077) !== 0
}

/** Root may do anything anyway. */
function isForeign(found: Stats | undefined): boolean {
  return found !== undefined && found.uid !== 0 && found.uid !== process.getuid?.()
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}

function listOf(paths: readonly string[]): string {
  const shown = paths.slice(0, 3).join(' ')
  return paths.length > 3 ? `${shown} and ${paths.length - 3} more` : shown
}

/** Whether the memory can be read. Looks alone: a csp that uses a broken file sets it aside. */
export function checkMemory({ stateDir, memory }: LoadedConfig['config']): Finding {
  const { ok, warn } = resultsOf('memory')
  const path = memoryPath(stateDir)
  const isOff = memory === 'off'
  if (!existsSync(path)) return ok(isOff ? 'off' : 'nothing is kept yet')
  try {
    const { pages, bytes } = inspectDatabase(path)
    const size = `${counted(pages, 'page')}, ${(bytes / 1e6).toFixed(1)} of ${memoryBytes / 1e6} MB`
    return isOff ? warn(`off, and ${size} are left`, `${csp} memory clear pages forgets them.`) : ok(size)
  } catch (error) {
    const remedy = isBroken(error) ? `csp sets it aside with the next search; ${csp} memory does so now.` : undefined
    return warn(`${path} cannot be read: ${messageOf(error)}`, remedy)
  }
}
