import { existsSync } from 'node:fs'
import { readdir, rm, rmdir } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { leftWorkFolder } from '../../bun/scratch.ts'
import { configPath, type LoadedConfig, loadConfigAnyway } from '../../config/config.ts'
import { homeFolder } from '../../config/home.ts'
import type { Shell } from '../../shell/shell.ts'

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
  // Settings may name any folder, also one with files of somebody else's.
  const usual = loadConfigAnyway({}, { ...environment, CSP_STATE_DIR: '', CSP_CACHE_DIR: '', CSP_CONFIG: '' }, '/')
  const isUsual = (folder: string) => [usual.config.stateDir, usual.config.cacheDir].includes(folder)
  const folderOf = (what: string, folder: string, names: RegExp): OwnFolder => ({
    what,
    path: folder,
    remove: () => (isUsual(folder) ? rm(folder, { recursive: true, force: true }) : removeIn(folder, names)),
  })
  // The launcher names it; elsewhere it is not csp's alone.
  const runtimeCache = environment['BUN_RUNTIME_TRANSPILER_CACHE_PATH']
  const work = leftWorkFolder(environment['TMPDIR'] || undefined)
  const configuration = dirname(path)
  const isOwnFolder = configPath({}, { ...environment, CSP_CONFIG: '' }, '/') === path
  const all: OwnFolder[] = [
    folderOf('state: the ledger, logs', config.stateDir, /^(?:run|log|usage|service|gateway|(?:format|update)\.json)$/),
    folderOf('cache: answers and pages', config.cacheDir, /^(?:v\d+|pages)$/),
    ...(runtimeCache?.endsWith('csp-runtime')
      ? [folderOf('cache: what Bun has transpiled', runtimeCache, /\.pile$/)]
      : []),
    ...(work
      ? [{ what: 'the empty folder that the CLI ran in', path: work.path, remove: async () => work.remove() }]
      : []),
    ...(keepsConfig
      ? []
      : [
          {
            what: 'configuration and keys',
            path: isOwnFolder ? configuration : path,
            remove: () =>
              isOwnFolder
                ? removeIn(configuration, /^(?:edge|(?:config|keys)\.json(?:\..*)?)$/)
                : removeFiles(path, config.keyFile),
          },
        ]),
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

async function removeIn(folder: string, names: RegExp): Promise<void> {
  for (const name of await readdir(folder)) {
    if (names.test(name)) await rm(join(folder, name), { recursive: true, force: true })
  }
  // Stays where something else is in it.
  await rmdir(folder).catch(() => {})
}

async function removeFiles(...paths: readonly string[]): Promise<void> {
  for (const path of paths) await rm(path, { force: true })
}
