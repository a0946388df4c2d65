import { link, mkdir, readFile, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { diskReason, errorCode } from '@csp/lib/errors'
import { digestOf } from '../../api/http/auth.ts'
import type { Limits } from '../../executor/layers/metering/budget.ts'
import { readPlainFile } from '../../storage/plain-file.ts'
import { replaceFile } from '../../storage/replace-file.ts'
import { newerFormat } from '../config/formats.ts'
import { parseStoredKeys, printStoredKeys, type StoredKey } from '../config/stored-keys.ts'
import { UsageError } from '../config/usage-error.ts'
import { csp } from '../shell/program.ts'

/** The keys in a file; none when there is no file. Throws a `UsageError` when csp did not write it. */
export async function readKeyFile(path: string): Promise<readonly StoredKey[]> {
  const text = await fileText(path)
  if (text === undefined) return []
  const keys = parseStoredKeys(text)
  if (keys) return keys
  const newer = newerFormat(`The key file ${path}`, text, 1)
  if (newer) throw new UsageError(`${newer} Until then csp accepts none of its keys.`)
  throw new UsageError(
    `The key file ${path} is damaged, so csp accepts none of its keys. Repair or move it, then create new keys with ${csp} keys add.`,
  )
}

/** Identifies a version of the file. */
export async function versionOfKeyFile(path: string): Promise<string> {
  try {
    const { mtimeMs, size, ino } = await stat(path)
    return [mtimeMs, size, ino].join(' ')
  } catch {
    return 'none'
  }
}

/**
 * Replaces the keys in a file by those that `change` returns, and returns the new ones. One change at a time, also of
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

async function fileText(path: string): Promise<string | undefined> {
  try {
    return await readPlainFile(path)
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new UsageError(`The key file ${path} cannot be read (${diskReason(code)}).`)
  }
}

/** A new key of 256 random bits, with a prefix that secret scanners can recognise. */
export function createKey(): string {
  return `csp_${crypto.getRandomValues(new Uint8Array(32)).toBase64({ alphabet: 'base64url', omitPadding: true })}`
}

/** Makes a named key, which is known only now, and stores its hash. Throws a `UsageError` where the name is taken. */
export async function addKey(
  path: string,
  name: string,
  limits: Limits = {},
): Promise<{ readonly key: string; readonly made: StoredKey }> {
  const key = createKey()
  const made: StoredKey = { name, digest: await digestOf(key), created: new Date().toISOString(), limits }
  await changeKeyFile(path, (known) => {
    if (!known.some((other) => other.name === name)) return [...known, made]
    throw new UsageError(`There is a key called "${name}" already. ${csp} keys revoke ${name} removes it.`)
  })
  return { key, made }
}

/**
 * Does quick work on a file while no other csp does. The lock is a file beside it, `PATH.lock`; one that is older
 * than 10 seconds was left by a process that died, and is removed. Throws a `UsageError` when the lock is not available.
 */
export async function whileLocked<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  const lock = `${path}.lock`
  const token = `${process.pid} ${crypto.randomUUID()}`
  await take(lock, token)
  try {
    return await work()
  } finally {
    // If the work took so long that the lock was removed, another csp may hold it now.
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
      if (performance.now() > deadline)
        throw new UsageError(`${lock} is held by another csp. Remove it if no csp is running.`)
      if (await isLeftover(lock)) await removeLeftover(lock)
      await Bun.sleep(10)
    }
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`Cannot create ${lock} (${diskReason(errorCode(error))}).`)
  } finally {
    await rm(own).catch(() => {})
  }
}

const patienceMs = 20_000
const leftoverMs = 10_000

/** A link appears with its content, unlike a file that is created and then written. */
async function linked(own: string, lock: string): Promise<boolean> {
  try {
    await link(own, lock)
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
}

/**
 * One process at a time removes a leftover, and looks again before it does: another one may have removed it meanwhile, and
 * then the lock is that of a csp at work.
 */
async function removeLeftover(lock: string): Promise<void> {
  const remover = `${lock}.leftover`
  try {
    await mkdir(remover)
  } catch {
    // Left by a process that died at this place.
    if (await isLeftover(remover)) await rmdir(remover).catch(() => {})
    return
  }
  try {
    if (await isLeftover(lock)) await rm(lock, { force: true })
  } finally {
    await rmdir(remover).catch(() => {})
  }
}

async function isLeftover(lock: string): Promise<boolean> {
  const found = await stat(lock).catch(() => undefined)
  return found !== undefined && Date.now() - found.mtimeMs > leftoverMs
}
