import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, normalize } from 'node:path'
import type { ClientManifest, Places } from '../../clients/client.ts'
import { clients } from '../../clients/clients.ts'
import { homeFolder } from '../config/home.ts'
import type { Environment } from '../shell/shell.ts'

/** A client on this machine. */
export interface KnownClient extends ClientManifest {
  /** Absent if only the user knows it. */
  readonly file?: string | undefined
  /** What is there where the program is installed. */
  readonly trace?: string | undefined
}

/** The clients that `csp setup` knows, with their files on this machine. */
export function knownClients(environment: Environment, directory: string): readonly KnownClient[] {
  const places = placesOf(environment, directory)
  return clients.map((client) => {
    const location = client.where?.(places)
    if (!location) return client
    const [file, trace] = [normalize(location.file), normalize(location.trace)]
    return { ...client, trace, ...((!location.isOneOfMany || existsSync(file)) && { file }) }
  })
}

/** Whether a client is installed, as far as its files show: an empty folder may be left of one that is gone. */
export function isFound({ trace }: KnownClient): boolean {
  return trace !== undefined && existsSync(trace) && hasFile(trace, maxDepth)
}

function hasFile(path: string, depth: number): boolean {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return true
  try {
    return depth === 0 || readdirSync(path).some((name) => hasFile(join(path, name), depth - 1))
  } catch {
    // A folder that csp may not read is no empty one.
    return true
  }
}

const maxDepth = 3

/** The ids of all clients. */
export const clientNames: readonly string[] = clients.map(({ id }) => id)

function placesOf(environment: Environment, directory: string): Places {
  const home = homeFolder(environment)
  const { platform } = process
  const settings = environment['XDG_CONFIG_HOME'] || join(home, '.config')
  function applicationFolder(name: string): string {
    if (platform === 'darwin') return join(home, 'Library/Application Support', name)
    if (platform === 'win32') return join(environment['APPDATA'] || join(home, 'AppData/Roaming'), name)
    return join(settings, name)
  }
  return {
    home,
    directory,
    platform,
    applicationFolder,
    variable: (name) => environment[name],
    configFolder: (name) => (platform === 'win32' ? applicationFolder(name) : join(settings, name)),
  }
}
