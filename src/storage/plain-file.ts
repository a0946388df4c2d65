import { statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'

/**
 * Throws where something else than a file has its place. To open a pipe waits for its other end, which may never come,
 * and a device may never end.
 */
export function checkPlainFile(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false)
    throw Object.assign(new Error(`${path} is not a file.`), { code: 'EFTYPE' })
}

/** The text of a file. Throws as `checkPlainFile` does, and where it cannot be read. */
export async function readPlainFile(path: string): Promise<string> {
  checkPlainFile(path)
  return readFile(path, 'utf8')
}
