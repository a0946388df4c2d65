import { join } from 'node:path'
import { homeFolder } from '../../config/home.ts'
import type { Environment } from '../../shell/shell.ts'

/** Where programs of the terminal keep their files. */
export function configFolder(environment: Environment, name: string): string {
  const home = homeFolder(environment)
  if (process.platform === 'win32') return applicationFolder(environment, name)
  return join(environment['XDG_CONFIG_HOME'] || join(home, '.config'), name)
}

/** Where programs with a window keep their files. */
export function applicationFolder(environment: Environment, name: string): string {
  const home = homeFolder(environment)
  if (process.platform === 'darwin') return join(home, 'Library/Application Support', name)
  if (process.platform === 'win32') return join(environment['APPDATA'] || join(home, 'AppData/Roaming'), name)
  return join(environment['XDG_CONFIG_HOME'] || join(home, '.config'), name)
}
