import { existsSync } from 'node:fs'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { defineDriver } from 'unstorage'
import { isRunning } from './is-running.ts'
import { lifeOfThisProcess, replaceFile } from './replace-file.ts'

export interface FilesOptions {
  /** The folder of the files; created at the first write. */
  readonly directory: string
}

/**
 * An unstorage driver that keeps each entry in a file of its own and never leaves a torn one: it writes beside the
 * file and renames. Keys have the form `v1:<64 hexadecimal digits>`; no other is written. What cannot be read is
 * `null`. Only the owner can read files and folders created here.
 */
export const files = defineDriver(({ directory }: FilesOptions) => {
  const root = join(directory, version)
  const cleaned = removeLeftovers(root)
  const pathOf = (key: string): string | undefined => {
    const [, digits] = keyPattern.exec(key) ?? []
    return digits && join(root, digits.slice(0, 2), `${digits}.json`)
  }
  const read = async (key: string): Promise<string | null> => {
    const path = pathOf(key)
    // Most are not there, and to say so takes a thread of Bun's twenty times as long.
    return path && existsSync(path) ? readFile(path, 'utf8').catch(() => null) : null
  }
  return {
    name: 'files',
    hasItem: async (key) => (await read(key)) !== null,
    getItem: read,
    setItem: async (key, value) => {
      const path = pathOf(key)
      if (!path) throw new Error(`Not a key of the cache: ${key}`)
      await cleaned
      await replaceFile(path, value)
    },
    removeItem: async (key) => {
      const path = pathOf(key)
      if (path) await rm(path, { force: true })
    },
    getKeys: async () => {
      const names = await namesIn(root)
      return names.flatMap(({ name }) => (name.endsWith('.json') ? [`${version}:${name.slice(0, -5)}`] : []))
    },
    dispose: () => cleaned,
  }
})

const version = 'v1'
const keyPattern = /^v1:([0-9a-f]{64})$/

/** Names the writing process, so that another process can check whether it is still running. */
const temporaryPattern = /^[0-9a-f]{64}\.json\.(\d+)-([0-9a-f]+)-\d+\.tmp$/

/** Removes what processes left behind that died while writing. */
async function removeLeftovers(root: string): Promise<void> {
  for (const { name, path } of await namesIn(root)) {
    if (isLeftover(name)) await rm(path, { force: true }).catch(() => {})
  }
}

function isLeftover(name: string): boolean {
  const [, pid, life] = temporaryPattern.exec(name) ?? []
  if (!pid) return false
  // A container gives every process the same id: one of ours with another life is dead.
  return Number(pid) === process.pid ? life !== lifeOfThisProcess : !isRunning(Number(pid))
}

interface NamedFile {
  readonly name: string
  readonly path: string
}

/** The entries and temporary files under the root, and no other file. */
async function namesIn(root: string): Promise<readonly NamedFile[]> {
  const folders = (await readdir(root).catch(() => [])).filter((name) => /^[0-9a-f]{2}$/.test(name))
  const lists = await Promise.all(
    folders.map(async (folder) => {
      const names = await readdir(join(root, folder)).catch(() => [])
      return names.map((name) => ({ name, path: join(root, folder, name) }))
    }),
  )
  return lists.flat().filter(({ name }) => /^[0-9a-f]{64}\.json(\.|$)/.test(name))
}
