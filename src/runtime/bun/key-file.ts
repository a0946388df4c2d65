import { link, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCode } from '../../lib/errors.ts'
import { replaceFile } from '../../storage/replace-file.ts'
import { parseStoredKeys, printStoredKeys, type StoredKey } from '../config/stored-keys.ts'
import { UsageError } from '../config/usage-error.ts'

/** The keys in a file; none when there is no file. Throws a `UsageError` when it is not what csp writes. */
export async function readKeyFile(path: string): Promise<readonly StoredKey[]> {
  const text = await textOf(path)
  if (text === undefined) return []
  const keys = parseStoredKeys(text)
  if (keys) return keys
  throw new UsageError(
    `The key file ${path} is damaged, so nobody can be let in by it. Mend it or move it away, then make new keys with csp keys add.`,
  )
}

/** Tells one version of a file from another. */
export async function versionOfKeyFile(path: string): Promise<string> {
  try {
    const { mtimeMs, size, ino } = await stat(path)
    return [mtimeMs, size, ino].join(' ')
  } catch {
    return 'none'
  }
}

/**
 * Replaces the keys in a file by what `change` makes of them, and returns the new ones. One change at a time, also of
 * several processes. Throws a `UsageError` when the file is damaged, and whatever `change` throws, and leaves the file.
 */
export async function changeKeyFile(
  path: string,
  change: (keys: readonly StoredKey[]) => readonly StoredKey[],
): Promise<readonly StoredKey[]> {
  return whileLocked(path, async () => {
    const keys = change(await readKeyFile(path))
    await replaceFile(path, printStoredKeys(keys))
    return keys
  })
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new UsageError(`The key file ${path} cannot be read (${code}).`)
  }
}

/** A fresh key of 256 random bits, with a beginning by which scanners for secrets may know it. */
export function createKey(): string {
  return `csp_${crypto.getRandomValues(new Uint8Array(32)).toBase64({ alphabet: 'base64url', omitPadding: true })}`
}

/**
 * Does some quick work on a file while no other csp does. The lock is a file beside it, `PATH.lock`; one that is older
 * than 10 seconds was left by a process that died, and is taken away. Throws a `UsageError` when it cannot be had.
 */
export async function whileLocked<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  const lock = `${path}.lock`
  const token = `${process.pid} ${crypto.randomUUID()}`
  await take(lock, token)
  try {
    return await work()
  } finally {
    // Whoever took so long that the lock was taken away must not take another's.
    if ((await readFile(lock, 'utf8').catch(() => '')) === token) await rm(lock, { force: true })
  }
}

async function take(lock: string, token: string): Promise<void> {
  const own = `${lock}.${token.split(' ')[1]}`
  try {
    await mkdir(dirname(lock), { recursive: true, mode: 0o700 })
    await writeFile(own, token, { mode: 0o600 })
    const deadline = performance.now() + patienceMs
    while (!(await linked(own, lock))) {
      if (performance.now() > deadline) throw new UsageError(`${lock} is held by another csp. Remove it if none runs.`)
      if (await isLeftover(lock)) await rm(lock, { force: true })
      await Bun.sleep(10)
    }
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`Nothing can be written beside ${lock} (${errorCode(error) ?? error}).`)
  } finally {
    await rm(own, { force: true }).catch(() => {})
  }
}

const patienceMs = 20_000
const leftoverMs = 10_000

/** Unlike making a file and then writing to it, a link is there at once with all that is in it. */
async function linked(own: string, lock: string): Promise<boolean> {
  try {
    await link(own, lock)
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
}

async function isLeftover(lock: string): Promise<boolean> {
  const found = await stat(lock).catch(() => undefined)
  return found !== undefined && Date.now() - found.mtimeMs > leftoverMs
}
