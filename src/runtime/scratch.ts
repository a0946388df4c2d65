import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder of this process alone. It is gone when the process ends, or earlier by `remove`. */
export interface Scratch {
  /** The path of an empty folder in it, made on the spot. */
  folder(name: string): string
  remove(): void
}

/** Makes a scratch folder that nobody else can read. */
export function openScratch(): Scratch {
  const directory = mkdtempSync(join(tmpdir(), 'csp-'))
  const erase = () => rmSync(directory, { recursive: true, force: true })
  process.on('exit', erase)
  return {
    folder(name) {
      const path = join(directory, name)
      mkdirSync(path, { recursive: true, mode: 0o700 })
      return path
    },
    remove() {
      process.off('exit', erase)
      erase()
    },
  }
}
