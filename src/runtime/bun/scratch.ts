import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRunning } from '../../storage/is-running.ts'

/** A folder of this process alone. It is removed when the process ends, or earlier by `remove`. */
export interface Scratch {
  /** Creates an empty folder in it and returns its path. */
  folder(name: string): string
  remove(): void
}

/** Creates a scratch folder that other users cannot read, and removes those of processes that were killed. */
export function openScratch(parent: string = tmpdir()): Scratch {
  removeLeftovers(parent)
  const directory = mkdtempSync(join(parent, `csp-scratch-${process.pid}-`))
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

function removeLeftovers(parent: string): void {
  for (const name of readdirSync(parent)) {
    const owner = /^csp-scratch-(\d+)-/.exec(name)?.[1]
    if (!owner || isRunning(Number(owner))) continue
    try {
      rmSync(join(parent, name), { recursive: true, force: true })
    } catch {
      // It belongs to another user, whose csp removes it.
    }
  }
}
