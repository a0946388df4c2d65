import { mkdirSync, mkdtempSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { errorCode, messageOf } from '@csp/lib/errors'
import { isOurs } from '../../executor/backends/claude/cli/launch.ts'
import { isRunning } from '../../storage/is-running.ts'
import { UsageError } from '../config/usage-error.ts'

/** A folder of this process alone. It is removed when the process ends, or earlier by `remove`. */
export interface Scratch {
  /** Creates an empty folder in it and returns its path. */
  folder(name: string): string
  remove(): void
}

/** Creates a scratch folder that other users cannot read, and removes those of processes that were killed. */
export function openScratch(parent: string = tmpdir()): Scratch {
  const directory = newFolder(parent)
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

/** Throws a `UsageError` if the temporary folder is missing or not writable. */
function newFolder(parent: string): string {
  try {
    removeLeftovers(parent)
    return mkdtempSync(join(parent, `csp-scratch-${process.pid}-`))
  } catch (error) {
    const why = errorCode(error) ?? messageOf(error)
    throw new UsageError(
      `The folder for temporary files, ${parent}, cannot be used (${why}). TMPDIR names another one.`,
    )
  }
}

/**
 * The empty folder that the CLI runs in. It is the same at every start, since the CLI keeps an entry for each folder in the
 * user's `~/.claude.json`; and not below the home folder, which may be a git repository, into which the CLI would look.
 * Where another user holds its name, a scratch folder takes its place.
 */
export function workFolder(scratch: Scratch, parent: string = tmpdir()): string {
  const { own, work } = workFolderIn(parent)
  try {
    mkdirSync(own, { recursive: true, mode: 0o700 })
    if (isOurs(own)) {
      mkdirSync(work, { recursive: true, mode: 0o700 })
      if (isOurs(work)) return work
    }
  } catch {
    // A file has the name, or nobody may write there.
  }
  return scratch.folder('work')
}

/** The folder of `workFolder`, for its removal; `undefined` if there is none of this user, or something is in it. */
export function leftWorkFolder(parent: string = tmpdir()): { readonly path: string; remove(): void } | undefined {
  const { own, work } = workFolderIn(parent)
  try {
    const [name, ...others] = readdirSync(own)
    const isEmpty = others.length === 0 && (name === undefined || (name === 'work' && readdirSync(work).length === 0))
    if (!isOurs(own) || !isEmpty) return undefined
    return {
      path: own,
      remove() {
        if (name) rmdirSync(work)
        rmdirSync(own)
      },
    }
  } catch {
    return undefined
  }
}

function workFolderIn(parent: string) {
  const own = join(parent, `csp-${process.getuid?.() ?? 'user'}`)
  return { own, work: join(own, 'work') }
}

function removeLeftovers(parent: string): void {
  for (const name of readdirSync(parent)) {
    const owner = /^csp-scratch-(\d+)-[A-Za-z0-9]{6}$/.exec(name)?.[1]
    if (!owner || isRunning(Number(owner))) continue
    const path = join(parent, name)
    try {
      if (isOurs(path)) rmSync(path, { recursive: true, force: true })
    } catch {
      // Another csp has removed it meanwhile.
    }
  }
}
