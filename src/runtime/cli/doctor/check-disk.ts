import { closeSync, existsSync, fsyncSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { errorCode } from '../../../lib/errors.ts'
import type { LoadedConfig } from '../../config/config.ts'
import { type Finding, resultsOf } from './finding.ts'

type Folders = Pick<LoadedConfig['config'], 'stateDir' | 'cacheDir'>

/** Whether there is room for the ledger, the log and the cache: a small file is written, since a quota may be full as well. */
export function checkDisk({ stateDir, cacheDir }: Folders): Finding {
  const { ok, warn, fail } = resultsOf('disk')
  const remedy = 'Free some space, or name folders on another disk with --state-dir and XDG_CACHE_HOME.'
  const folders = [...new Set([stateDir, cacheDir])]
  const full = folders.filter((folder) => isFull(folder))
  if (full.length > 0) return fail(`full: nothing can be written to ${full.join(' and ')}`, remedy)
  const free = Math.min(...folders.map(freeBytes))
  const message = Number.isFinite(free) ? `${Math.floor(free / megabyte).toLocaleString('en')} MB free` : 'writable'
  return free < fewBytes ? warn(message, remedy) : ok(message)
}

const megabyte = 1_000_000
const fewBytes = 100 * megabyte

function isFull(folder: string): boolean {
  if (!existsSync(folder)) return false
  const trial = join(folder, `.doctor-disk-${process.pid}`)
  try {
    const file = openSync(trial, 'wx', 0o600)
    try {
      writeSync(file, Buffer.alloc(64 * 1024))
      // Some file systems find room only now.
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    return false
  } catch (error) {
    // Other checks say what may not be written for another reason.
    return ['ENOSPC', 'EDQUOT'].includes(String(errorCode(error)))
  } finally {
    rmSync(trial, { force: true })
  }
}

/** Free on the disk that the folder is or will be on. */
function freeBytes(folder: string): number {
  if (!existsSync(folder) && dirname(folder) !== folder) return freeBytes(dirname(folder))
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
