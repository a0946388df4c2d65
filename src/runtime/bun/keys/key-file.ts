import { readFile, stat } from 'node:fs/promises'
import { errorCode } from '../../../lib/errors.ts'
import { replaceFile } from '../../../storage/replace-file.ts'
import { parseStoredKeys, printStoredKeys, type StoredKey } from '../../config/stored-keys.ts'
import { UsageError } from '../../config/usage-error.ts'
import { whileLocked } from './while-locked.ts'

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
