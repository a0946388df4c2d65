import { existsSync, lstatSync } from 'node:fs'
import { realpath, rm, rmdir } from 'node:fs/promises'
import { dirname, sep } from 'node:path'
import type { LoadedConfig } from '../../config/config.ts'
import { configPath, homeFolder } from '../../config/home.ts'
import { fetchedClaudeFolder } from '../../server/fetched-claude.ts'
import { leftWorkFolder } from '../../server/scratch.ts'
import type { Shell } from '../../shell/shell.ts'
import { cacheNames, configurationNames, type OwnNames, removeOwn, stateNames, transpiledNames } from '../own-files.ts'

/** A folder of csp's, and what of it is to be removed. */
export interface OwnFolder {
  readonly what: string
  readonly path: string
  /** Removes it. What is not csp's stays, and the folder with it. */
  remove(): Promise<void>
}

/** What csp has written on this machine, as far as it is there. */
export async function ownFolders(
  { config, path }: LoadedConfig,
  { environment }: Shell,
  keepsConfig: boolean,
): Promise<readonly OwnFolder[]> {
  // Settings and links may lead to any folder, also to one with files of others: csp's own are known by their names.
  const folderOf = (what: string, folder: string, names: OwnNames): OwnFolder => ({
    what,
    path: folder,
    async remove() {
      if (lstatSync(folder).isSymbolicLink())
        throw new Error(`It is a link to ${await realpath(folder)}, where nothing was touched.`)
      await removeOwn(folder, names)
    },
  })
  const runtimeCache = environment['BUN_RUNTIME_TRANSPILER_CACHE_PATH']
  const fetched = fetchedClaudeFolder(environment)
  const work = leftWorkFolder(environment['TMPDIR'] || undefined)
  const usualPath = configPath({}, { ...environment, CSP_CONFIG: '' }, '/')
  const isUsualPlace = usualPath === path
  // One for all csps of a user: the csp of another configuration leaves it to that of the usual one.
  const isShared = !isUsualPlace && existsSync(dirname(usualPath))
  const configuration = isUsualPlace
    ? folderOf('configuration and keys', dirname(path), configurationNames)
    : { what: 'configuration and keys', path, remove: () => removeFiles(path, config.keyFile) }
  const all: OwnFolder[] = [
    folderOf('state: the ledger, receipts, jobs, memory, logs', config.stateDir, stateNames),
    folderOf('cache: answers and pages', config.cacheDir, cacheNames),
    // The launcher names it; elsewhere it is not csp's alone.
    ...(runtimeCache?.endsWith('csp-runtime')
      ? [folderOf('cache: what Bun has transpiled', runtimeCache, transpiledNames)]
      : []),
    ...(work
      ? [{ what: 'the empty folder that the CLI ran in', path: work.path, remove: async () => work.remove() }]
      : []),
    ...(fetched && !isShared
      ? [
          {
            what: 'the Claude Code CLI that csp fetched',
            path: fetched,
            remove: () => rm(fetched, { recursive: true }),
          },
        ]
      : []),
    ...(keepsConfig ? [] : [configuration]),
  ]
  const home = homeFolder(environment)
  const found = all.filter((folder) => existsSync(folder.path))
  return found.map((folder) => ({
    ...folder,
    async remove() {
      await folder.remove()
      await removeEmpty(dirname(folder.path), home)
    },
  }))
}

/** Removes folders that are empty now, up to the home. */
async function removeEmpty(folder: string, home: string): Promise<void> {
  if (!folder.startsWith(`${home}${sep}`)) return
  try {
    await rmdir(folder)
  } catch {
    return
  }
  await removeEmpty(dirname(folder), home)
}

async function removeFiles(...paths: readonly string[]): Promise<void> {
  for (const path of paths) await rm(path, { force: true })
}
