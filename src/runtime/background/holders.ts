import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { parseJson } from '@csp/lib/json'
import { z } from 'zod'
import { isRunning } from '../../storage/is-running.ts'
import { replaceFile } from '../../storage/replace-file.ts'
import { identityOf } from './process-identity.ts'
import { isAlive } from './running-servers.ts'

// A holder is a process for which csp was started: `csp start --for PID`. Each has a file of its own, so that two that
// come at once do not write over one another.

const holderSchema = z.object({ pid: z.int().positive(), identity: z.string().optional() })

/** Writes down that a process needs the csp at a port. `false` when no such process runs. */
export async function addHolder(stateDir: string, port: number, pid: number): Promise<boolean> {
  if (!isRunning(pid)) return false
  const path = join(folderOf(stateDir, port), `${pid}.json`)
  await replaceFile(path, `${JSON.stringify({ pid, identity: identityOf(pid) })}\n`)
  return true
}

/** Takes back what `addHolder` wrote. */
export async function removeHolder(stateDir: string, port: number, pid: number): Promise<void> {
  await rm(join(folderOf(stateDir, port), `${pid}.json`), { force: true })
}

/** The processes that need the csp at a port and still run. Forgets those that have ended. */
export async function holdersOf(stateDir: string, port: number): Promise<readonly number[]> {
  const folder = folderOf(stateDir, port)
  const found = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const living: number[] = []
  for (const { name } of found.filter((each) => each.isFile() && /^\d+\.json$/.test(each.name))) {
    const path = join(folder, name)
    const holder = holderSchema.safeParse(parseJson(await readFile(path, 'utf8').catch(() => ''))).data
    if (holder && isAlive(holder)) living.push(holder.pid)
    else await rm(path, { force: true })
  }
  return living
}

function folderOf(stateDir: string, port: number): string {
  return join(stateDir, 'run', `${port}.holders`)
}
