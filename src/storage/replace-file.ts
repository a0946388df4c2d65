import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCode } from '@csp/lib/errors'

/** Distinguishes the files of this process from those of an earlier process with the same id. */
export const lifeOfThisProcess = crypto.randomUUID().slice(0, 8)
let temporaries = 0

/**
 * Writes a whole file, or leaves the one that is there: it writes beside it, to `PATH.PID-LIFE-N.tmp`, and renames.
 * Creates a missing folder. Only the owner can read either. An error of the system names the path.
 */
export async function replaceFile(path: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${path}.${process.pid}-${lifeOfThisProcess}-${temporaries++}.tmp`
  const create = () => open(temporary, 'wx', 0o600)
  try {
    const file = await create().catch(async (error: unknown) => {
      if (errorCode(error) !== 'ENOENT') throw error
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      return create()
    })
    try {
      await file.writeFile(content)
    } finally {
      await file.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary).catch(() => {})
    // What fails at an open file, as on a full disk, does not say which one.
    if (error instanceof Error && errorCode(error) !== undefined && !('path' in error))
      Object.assign(error, { path, message: `${error.message} '${path}'` })
    throw error
  }
}
