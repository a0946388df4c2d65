import { userInfo } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import type { Environment } from '../shell/shell.ts'
import { UsageError } from './usage-error.ts'

/**
 * The user's home folder: `HOME`, otherwise that of the user's account. Never the current folder, whose configuration
 * could be anybody's. Throws a `UsageError` when there is none.
 */
export function homeFolder(environment: Environment, account: () => string = () => userInfo().homedir): string {
  const named = environment['HOME']
  if (named && isAbsolute(named)) return named
  try {
    const found = account()
    if (isAbsolute(found)) return found
  } catch {
    // The user has no account, as in some containers.
  }
  throw new UsageError('HOME is not set, and this user has no home folder. Set HOME to an absolute path.')
}

/** Where the configuration file is or would be. */
export function configPath(flags: { readonly config?: unknown }, environment: Environment, directory: string): string {
  const named = flags.config ?? environment['CSP_CONFIG']
  if (typeof named === 'string' && named) return resolve(directory, named)
  return join(folderIn(environment, 'XDG_CONFIG_HOME', '.config'), 'config.json')
}

/** The state folder, unless the settings name another one. */
export function stateFolder(environment: Environment): string {
  return environment['CSP_STATE_DIR'] || folderIn(environment, 'XDG_STATE_HOME', '.local/state')
}

/** By the standard of these variables, a relative path is ignored. */
export function folderIn(environment: Environment, variable: string, fallback: string): string {
  const named = environment[variable]
  return join(named && isAbsolute(named) ? named : join(homeFolder(environment), fallback), 'csp')
}
