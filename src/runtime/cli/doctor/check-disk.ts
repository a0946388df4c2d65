import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { diskReason, errorCode } from '@csp/lib/errors'
import type { LoadedConfig } from '../../config/config.ts'
import { type Finding, resultsOf } from './finding.ts'

type Folders = Pick<LoadedConfig['config'], 'stateDir' | 'cacheDir' | 'keyFile'>

/** Whether csp can write, read and remove in each of its folders, and whether there is room: a quota may be full as well. */
export function checkDisk({ stateDir, cacheDir, keyFile }: Folders): Finding {
  const { ok, warn, fail } = resultsOf('disk')
  const remedy = 'Free some space, or name folders on another disk with --state-dir and XDG_CACHE_HOME.'
  const inState = ['log', 'run', 'receipts', 'memory']
    .map((name) => join(stateDir, name))
    .filter((it) => existsSync(it))
  const folders = [...new Set([stateDir, ...inState, cacheDir, dirname(keyFile)])]
  const problems = folders.flatMap((folder) => problemIn(folder) ?? [])
  if (problems.length > 0)
    return fail(problems.join('; '), problems.some((it) => it.includes('full')) ? remedy : rights)
  const free = Math.min(...folders.map(freeBytes))
  const message = Number.isFinite(free) ? `${Math.floor(free / megabyte).toLocaleString('en')} MB free` : 'writable'
  return free < fewBytes ? warn(message, remedy) : ok(message)
}

const rights = 'Give your user the right to write there, or name other folders with --state-dir and XDG_CACHE_HOME.'
const megabyte = 1_000_000
const fewBytes = 100 * megabyte

/** Why csp cannot use a folder. One that is not there is made for the trial. */
function problemIn(folder: string): string | undefined {
  const trial = join(folder, `.doctor-disk-${process.pid}`)
  let made: string | undefined
  try {
    made = mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(trial, content, { mode: 0o600, flag: 'wx', flush: true })
    if (!readFileSync(trial).equals(content)) return `${folder} does not give back what is written there`
    rmSync(trial)
    return undefined
  } catch (error) {
    // Anything else may be in its place.
    if (existsSync(folder) && !statSync(folder).isDirectory()) return `${folder} is not a folder`
    return `nothing can be written to ${folder} (${diskReason(errorCode(error))})`
  } finally {
    attemptToRemove(trial)
    if (made !== undefined) removeEmpty(folder, made)
  }
}

const content = Buffer.alloc(64 * 1024, 1)

function attemptToRemove(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {
    // It was never there.
  }
}

/** Removes a folder and those above it, as far as `top`, while they are empty: a csp that starts meanwhile keeps its own. */
function removeEmpty(folder: string, top: string): void {
  try {
    rmdirSync(folder)
    if (folder !== top) removeEmpty(dirname(folder), top)
  } catch {
    // Something is in it.
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
