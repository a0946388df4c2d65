import { createHash, randomBytes } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { parseJson } from '@csp/lib/json'
import { z } from 'zod'
import { isRunning } from '../../storage/is-running.ts'
import { replaceFile } from '../../storage/replace-file.ts'
import type { LoadedConfig } from '../config/config.ts'
import { identityOf } from './process-identity.ts'

/**
 * What started a server, and, where it is a service, starts it again: the variable `CSP_MANAGER`. `programs` are those
 * that have it run as long as they do.
 */
export const managerSchema = z.enum(['terminal', 'background', 'programs', 'systemd', 'launchd']).catch('terminal')

const recordSchema = z.object({
  pid: z.int().positive(),
  /** See `identityOf`; absent if the system does not say. */
  identity: z.string().optional(),
  /** For programs of this machine. */
  url: z.string(),
  /** All addresses that it listens on; absent if another version wrote the record. */
  urls: z.array(z.string()).optional(),
  port: z.int(),
  version: z.string(),
  /** Opens this server to programs of the same user, as a key does. */
  token: z.string().min(32),
  /** The settings that shape its answers: see `writeAnswerSettings`. */
  settings: z.string(),
  startedAt: z.string(),
  /** The flags that it was started with, for `csp restart`. */
  flags: z.array(z.string()),
  manager: managerSchema,
  /** Set on the sandbox, which keeps its state elsewhere. */
  sandbox: z.literal(true).optional(),
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

/**
 * Records that this process serves. One file per start, never rewritten: a late removal cannot delete another csp's
 * record. The record of a csp whose port was taken over goes as soon as this one is there.
 */
export async function announceServer(
  stateDir: string,
  server: Omit<RunningServerRecord, 'pid' | 'identity' | 'startedAt'>,
): Promise<Announcement> {
  const path = recordPath(stateDir, server)
  const record = { ...server, pid: process.pid, identity: identityOf(process.pid), startedAt: new Date().toISOString() }
  await replaceFile(path, `${JSON.stringify(record, null, 2)}\n`)
  for (const other of await readRecords(stateDir)) {
    const isReplaced = other.path !== path && other.record?.port === server.port
    if (isReplaced && other.record.startedAt <= record.startedAt) await rm(other.path, { force: true })
  }
  return { end: () => rm(path, { force: true }) }
}

/** The servers of this user that run, by port. Removes the records of those that exited without notice. */
export async function runningServers(stateDir: string): Promise<readonly RunningServerRecord[]> {
  const byPort = new Map<number, RunningServerRecord>()
  for (const { path, record } of await readRecords(stateDir)) {
    if (record && isAlive(record)) {
      const other = byPort.get(record.port)
      // One that takes over has written its record, and the other's is still there.
      if (!other || other.startedAt <= record.startedAt) byPort.set(record.port, record)
    } else if (record || (await isStale(path))) await rm(path, { force: true })
  }
  return [...byPort.values()].sort((left, right) => left.port - right.port)
}

/** The settings that name a csp, and whether somebody chose them. */
interface NamedPort {
  readonly config: Pick<LoadedConfig['config'], 'port'>
  readonly origins: Pick<LoadedConfig['origins'], 'port'>
}

/** The server at the configured port; without one there, unless the command names the port, the only one that runs. */
export function chooseServers(
  servers: readonly RunningServerRecord[],
  { config: { port }, origins }: NamedPort,
): readonly RunningServerRecord[] {
  const there = servers.filter((server) => server.port === port)
  // Port 0 names none, and the port in the file may have changed since the csp that runs was started.
  const isNamed = ['--port', 'CSP_PORT'].includes(origins.port) && port !== 0
  return there.length > 0 || isNamed || servers.length !== 1 ? there : servers
}

/** The servers of this user, and those that a command means which names none: how all commands look. */
export async function serversHere(
  loaded: NamedPort & { readonly config: Pick<LoadedConfig['config'], 'stateDir'> },
): Promise<{ readonly servers: readonly RunningServerRecord[]; readonly chosen: readonly RunningServerRecord[] }> {
  const servers = await runningServers(loaded.config.stateDir)
  return { servers, chosen: chooseServers(servers, loaded) }
}

/** What is said where no server was chosen. */
export function nothingRuns(servers: readonly RunningServerRecord[], { config: { port } }: NamedPort): string {
  const others = servers.map((server) => server.url).join(', ')
  return `No csp of this user is running at port ${port}.${others ? ` Running: ${others}. Choose one with --port.` : ''}`
}

/** The addresses that a server listens on, for people. */
export function addressesOf({ url, urls = [url] }: Pick<RunningServerRecord, 'url' | 'urls'>): string {
  return urls.join(' and ')
}

/** Whether the process of a record still runs, and not another one that got its id. */
export function isAlive({ pid, identity }: Pick<RunningServerRecord, 'pid' | 'identity'>): boolean {
  return identity === undefined ? isRunning(pid) : identityOf(pid) === identity
}

/** Whether a manager of services has started it, and starts it again. */
export function isOfService({ manager }: Pick<RunningServerRecord, 'manager'>): boolean {
  return manager !== 'terminal' && manager !== 'background' && manager !== 'programs'
}

interface FoundRecord {
  readonly path: string
  /** `undefined` if it cannot be read. */
  readonly record: RunningServerRecord | undefined
}

async function readRecords(stateDir: string): Promise<readonly FoundRecord[]> {
  const folder = join(stateDir, 'run')
  const found = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const paths = found
    .flatMap((it) => (it.isFile() && recordName.test(it.name) ? [join(folder, it.name)] : []))
    .filter(isOwn)
  return Promise.all(paths.map(async (path) => ({ path, record: await readRecord(path) })))
}

/** What another user has put there could name any process to be stopped, and any address to be asked. */
function isOwn(path: string): boolean {
  return process.getuid === undefined || lstatSync(path, { throwIfNoEntry: false })?.uid === process.getuid()
}

/** The first csp that did so named the file by the port alone. */
const recordName = /^\d+(?:-[\da-f]+)?\.json$/

async function readRecord(path: string): Promise<RunningServerRecord | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '')
  return recordSchema.safeParse(parseJson(text)).data
}

/**
 * Whether a record that this csp cannot read is of no use: a newer csp may write it otherwise. A file that names no
 * process and whose name is not as special as csp's may be somebody else's.
 */
async function isStale(path: string): Promise<boolean> {
  const text = await readFile(path, 'utf8').catch(() => '')
  const owner = ownerSchema.safeParse(parseJson(text)).data
  return owner === undefined ? /-[\da-f]{8}\.json$/.test(path) : !isAlive(owner)
}

const ownerSchema = recordSchema.pick({ pid: true }).extend({ identity: z.string() })

function recordPath(stateDir: string, { port, token }: Pick<RunningServerRecord, 'port' | 'token'>): string {
  const start = createHash('sha256').update(token).digest('hex').slice(0, 8)
  return join(stateDir, 'run', `${port}-${start}.json`)
}

/** The token of the csp of this user at an address, if one runs there. */
export function tokenAt(url: string, servers: readonly RunningServerRecord[]): string | undefined {
  return servers.find((server) => server.url === url || server.urls?.includes(url))?.token
}
