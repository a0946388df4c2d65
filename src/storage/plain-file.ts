import { statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'

/**
 * Throws if the path names something other than a file: opening a pipe may block forever, and a device may never end.
 */
export function checkPlainFile(path: string): void {
  plainFileSize(path)
}

/** The size of a file in bytes, if it is there. Throws as `checkPlainFile` does. */
export function plainFileSize(path: string): number | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found?.isFile() === false) throw Object.assign(new Error(`${path} is not a file.`), { code: 'EFTYPE' })
  return found?.size
}

/** The text of a file. Throws as `checkPlainFile` does, and where it cannot be read. */
export async function readPlainFile(path: string): Promise<string> {
  checkPlainFile(path)
  return readFile(path, 'utf8')
}
