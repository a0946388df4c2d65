import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { errorCode } from '@csp/lib/errors'
import { parseJson } from '@csp/lib/json'
import { z } from 'zod'
import { upgradeWays } from '../shell/distribution.ts'
import { csp, installationKind } from '../shell/program.ts'
import { version } from '../version.ts'
import { UsageError } from './usage-error.ts'

// Files of csp carry the version of their format. A newer csp that changes one names itself in `written-by`, so that an
// older one can say what it met, and leaves it alone.

const headSchema = z.object({ version: z.int().positive(), 'written-by': z.string().max(40).optional() })

/** Why a file or folder of a newer csp cannot be used, and what to do; `undefined` for one that is not newer than `known`. */
export function newerFormat(what: string, text: string, known: number): string | undefined {
  const head = headSchema.safeParse(parseJson(text)).data
  if (!head || head.version <= known) return undefined
  const writer = head['written-by'] ? `csp ${head['written-by']}` : 'a newer csp'
  return `${what} has format ${head.version}, which ${writer} wrote; csp ${version} reads format ${known}. Upgrade csp: ${upgradeWays[installationKind]}.`
}

/** Throws a `UsageError` where a newer csp has changed what the state folder holds: the ledger would be misread. */
export function refuseNewerState(stateDir: string): void {
  const problem = newerState(stateDir)
  if (problem) throw new UsageError(problem)
}

/** Throws a `UsageError` where nothing can be read of a state folder, or ever written: "there is none" would be wrong. */
export function requireStateFolder(stateDir: string): void {
  try {
    if (isThere(stateDir)) readdirSync(stateDir)
    else tryToMakeIn(dirname(stateDir))
  } catch (error) {
    throw new UsageError(`The state folder ${stateDir} cannot be read (${errorCode(error)}). Run: ${csp} doctor`)
  }
}

/** Makes a folder in the nearest folder above that is there, and removes it. */
function tryToMakeIn(folder: string): void {
  if (isThere(folder)) rmdirSync(mkdtempSync(join(folder, '.csp-')))
  else tryToMakeIn(dirname(folder))
}

/** Also what leads nowhere is there. */
const isThere = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined

/** Why the state folder cannot be used. One without `format.json` has format 1. */
export function newerState(stateDir: string): string | undefined {
  const path = join(stateDir, 'format.json')
  let text: string
  try {
    // To read a pipe might never end.
    if (!statSync(path).isFile()) return undefined
    text = readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
  const problem = newerFormat(`The state folder ${stateDir}`, text, stateFormat)
  return problem && `${problem} Or name another folder with --state-dir.`
}

const stateFormat = 1
