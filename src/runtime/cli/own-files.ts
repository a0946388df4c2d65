import { readdirSync, readFileSync } from 'node:fs'
import { rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isObject, parseJson } from '@csp/lib/json'

/** The names of what csp writes in a folder, which may hold files of others too. Paths are relative, with `/`. */
export interface OwnNames {
  readonly files: RegExp
  /** Folders that csp makes there. */
  readonly folders: RegExp
}

/** What a process that was killed while it wrote leaves beside a file. */
const halfWritten = String.raw`(?:\.\d+-[0-9a-f]{8}-\d+\.tmp)?`

/** A pattern for a whole path, also where the file is only half written. */
function written(paths: string): RegExp {
  return new RegExp(`^(?:${paths})${halfWritten}$`)
}

export const stateNames: OwnNames = {
  files: written(
    [
      String.raw`run/\d+(?:-[\da-f]+)?\.json`,
      String.raw`run/\d+\.holders/\d+\.json`,
      String.raw`log/csp\.log(?:\.1(?:\.\d+\.tmp)?)?`,
      String.raw`usage/\d{4}-\d\d-\d\d\.ndjson`,
      String.raw`receipts/(?:[0-9a-f]{32}\.json|pages/[0-9a-f]{64}\.md)`,
      // Builds before the first release kept watches.
      String.raw`(?:jobs/jobs|watches/watches)\.sqlite(?:-wal|-shm)?(?:\.damaged)?`,
      String.raw`memory/memory\.sqlite(?:-wal|-shm|\.damaged)?`,
      String.raw`gateway/models\.json`,
      String.raw`(?:format|update|claude-cli)\.json|\.doctor-disk-\d+`,
    ].join('|'),
  ),
  folders: /^(?:run(?:\/\d+\.holders)?|log|usage|receipts(?:\/pages)?|jobs|watches|memory|gateway)$/,
}

export const cacheNames: OwnNames = {
  files: written(String.raw`(?:pages/)?v\d+/[0-9a-f]{2}/[0-9a-f]{64}\.json|\.doctor-(?:disk-)?\d+`),
  folders: /^(?:pages|(?:pages\/)?v\d+(?:\/[0-9a-f]{2})?)$/,
}

/** What Bun keeps of the sources that it has transpiled. */
export const transpiledNames: OwnNames = { files: /^[0-9a-f]+(?:\.debug)?\.pile$/, folders: /^$/ }

export const configurationNames: OwnNames = {
  files: written(
    [
      String.raw`(?:(?:config|keys)\.json(?:\.lock(?:\..+)?|\.damaged)?|config\.schema\.json)`,
      String.raw`edge/(?:wrangler\.toml|connect-secret|deploy\.ndjson|\.wrangler/.+)`,
    ].join('|'),
  ),
  folders: /^(?:(?:config|keys)\.json\.lock\.leftover|edge(?:\/\.wrangler(?:\/.+)?)?)$/,
}

/** Csp's own files in a folder, by their names. Follows no link, and takes none for its own: csp makes none. */
export function ownFilesIn(root: string, names: OwnNames): readonly string[] {
  return ownEntries(root, names).flatMap(({ path, isFolder }) => (isFolder ? [] : [path]))
}

/** Removes csp's own files from a folder, then the folders that are empty without them. */
export async function removeOwn(root: string, names: OwnNames): Promise<void> {
  for (const { path, isFolder } of ownEntries(root, names)) {
    // What others have put into a folder stays, and the folder with it.
    await (isFolder ? rmdir(path).catch(() => {}) : rm(path, { force: true }))
  }
  await rmdir(root).catch(() => {})
}

interface OwnEntry {
  readonly path: string
  readonly isFolder: boolean
}

/** What is in a folder comes before the folder. */
function ownEntries(root: string, names: OwnNames, below = ''): readonly OwnEntry[] {
  return entriesOf(join(root, below)).flatMap((entry): readonly OwnEntry[] => {
    const name = below ? `${below}/${entry.name}` : entry.name
    const path = join(root, name)
    if (entry.isFile()) return names.files.test(name) && isOurs(name, path) ? [{ path, isFolder: false }] : []
    if (!entry.isDirectory() || !names.folders.test(name)) return []
    return [...ownEntries(root, names, name), { path, isFolder: true }]
  })
}

/** Other programs use some of these names too. A file of such a name is csp's if it is empty or has no members but csp's. */
function isOurs(name: string, path: string): boolean {
  const members = membersOf[name]
  if (!members) return true
  try {
    const text = readFileSync(path, 'utf8')
    const value = parseJson(text)
    return text.trim() === '' || (isObject(value) && Object.keys(value).every((member) => members.includes(member)))
  } catch {
    return false
  }
}

const membersOf: Readonly<Record<string, readonly string[]>> = {
  'format.json': ['version', 'written-by'],
  'update.json': ['checkedAt', 'latest'],
  'claude-cli.json': ['secret', 'facts', 'logins'],
  'gateway/models.json': ['version', 'models'],
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
