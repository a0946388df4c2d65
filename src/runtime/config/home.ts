import { userInfo } from 'node:os'
import { isAbsolute } from 'node:path'
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
