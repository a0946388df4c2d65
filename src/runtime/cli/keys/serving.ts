import { type RunningServerRecord, serversHere } from '../../background/running-servers.ts'
import { type LoadedConfig, loadConfig } from '../../config/config.ts'
import { UsageError } from '../../config/usage-error.ts'
import type { Call } from '../command.ts'

/** The csp that clients of this user call: the one that runs, or the one that a start would bring. */
export interface ServingCsp {
  readonly running: RunningServerRecord | undefined
  readonly config: LoadedConfig['config']
}

/** Finds the csp that runs, with the settings that it was started with. */
export async function servingCsp({ shell, loaded }: Pick<Call, 'shell' | 'loaded'>): Promise<ServingCsp> {
  const [running] = (await serversHere(loaded)).chosen
  if (!running) return { running, config: loaded.config }
  const flags = Object.fromEntries(running.flags.map(flagOf))
  try {
    const { config } = loadConfig(flags, shell.environment, shell.directory)
    return { running, config: { ...config, port: running.port } }
  } catch (error) {
    // The files that it was started with have changed since.
    if (error instanceof UsageError) return { running, config: { ...loaded.config, port: running.port } }
    throw error
  }
}

/** The reverse of `flagArguments`. */
function flagOf(argument: string): readonly [name: string, value: string | true] {
  const end = argument.indexOf('=')
  return end < 0 ? [argument.slice(2), true] : [argument.slice(2, end), argument.slice(end + 1)]
}
