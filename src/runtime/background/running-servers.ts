import { randomBytes } from 'node:crypto'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { parseJson } from '../../lib/json.ts'
import { isRunning } from '../../storage/is-running.ts'
import { replaceFile } from '../../storage/replace-file.ts'
import { identityOf } from './process-identity.ts'

/** What started a server, and starts it again if it is no terminal: the variable `CSP_MANAGER`. */
export const managerSchema = z
  .enum(['terminal', 'background', 'systemd', 'launchd', 'task-scheduler'])
  .catch('terminal')

const recordSchema = z.object({
  pid: z.int().positive(),
  /** See `identityOf`; absent where the system does not say. */
  identity: z.string().optional(),
  url: z.string(),
  port: z.int(),
  version: z.string(),
  /** Opens this server to programs of the same user, as a key does. */
  token: z.string().min(32),
  /** A digest of the settings that shape its answers. */
  settings: z.string(),
  startedAt: z.string(),
  /** The flags that it was started with, for `csp restart`. */
  flags: z.array(z.string()),
  manager: managerSchema,
})

/** What a server of this user writes down about itself while it runs. Only the user can read it. */
export type RunningServerRecord = z.infer<typeof recordSchema>

/** A record that is removed when the server stops. */
export interface Announcement {
  end(): Promise<void>
}

/** A new token for the programs of the same user. */
export function createLocalToken(): string {
  return `csp-local-${randomBytes(32).toString('base64url')}`
}

/** Writes down that this process serves. */
export async function announceServer(
  stateDir: string,
  server: Omit<RunningServerRecord, 'pid' | 'identity' | 'startedAt'>,
): Promise<Announcement> {
  const path = recordPath(stateDir, server.port)
  const record = { ...server, pid: process.pid, identity: identityOf(process.pid), startedAt: new Date().toISOString() }
  await replaceFile(path, `${JSON.stringify(record, null, 2)}\n`)
  return {
    async end() {
      // The server that took the port over has written its own.
      if ((await readRecord(path))?.token === server.token) await rm(path, { force: true })
    },
  }
}

/** The servers of this user that run, by port. Removes the records of those that ended without a word. */
export async function runningServers(stateDir: string): Promise<readonly RunningServerRecord[]> {
  const folder = join(stateDir, 'run')
  const names = await readdir(folder).catch((): string[] => [])
  const records: RunningServerRecord[] = []
  for (const name of names.filter((each) => /^\d+\.json$/.test(each))) {
    const path = join(folder, name)
    const record = await readRecord(path)
    if (record && isAlive(record)) records.push(record)
    else if (record || !(await isOfAnother(path))) await rm(path, { force: true })
  }
  return records.sort((left, right) => left.port - right.port)
}

/** Whether the process of a record still runs, and not another one that got its id. */
export function isAlive({ pid, identity }: Pick<RunningServerRecord, 'pid' | 'identity'>): boolean {
  return identity === undefined ? isRunning(pid) : identityOf(pid) === identity
}

/** Whether a manager of services has started it, and starts it again. */
export function isOfService({ manager }: Pick<RunningServerRecord, 'manager'>): boolean {
  return manager !== 'terminal' && manager !== 'background'
}

async function readRecord(path: string): Promise<RunningServerRecord | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '')
  return recordSchema.safeParse(parseJson(text)).data
}

/** Whether a record that this csp cannot read is that of a process that runs: a newer csp may write it otherwise. */
async function isOfAnother(path: string): Promise<boolean> {
  const text = await readFile(path, 'utf8').catch(() => '')
  const owner = ownerSchema.safeParse(parseJson(text)).data
  return owner !== undefined && isAlive(owner)
}

const ownerSchema = recordSchema.pick({ pid: true }).extend({ identity: z.string() })

function recordPath(stateDir: string, port: number): string {
  return join(stateDir, 'run', `${port}.json`)
}
