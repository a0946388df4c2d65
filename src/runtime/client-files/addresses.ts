import { withoutLastSlashes } from '@csp/lib/url'
import type { ClientAddress, ClientAddresses } from '../../clients/client.ts'
import { serversHere } from '../background/running-servers.ts'
import type { LoadedConfig } from '../config/config.ts'
import { UsageError } from '../config/usage-error.ts'
import { localUrl } from '../server/addresses.ts'
import { claudeBinary } from '../server/claude-cli.ts'
import { readKeyFile } from '../server/key-file.ts'
import { csp, ownProgram, serviceProgram } from '../shell/program.ts'
import type { Shell } from '../shell/shell.ts'

/** What is known of csp where a client is set up. */
export interface ClientCall {
  readonly shell: Shell
  readonly loaded: Pick<LoadedConfig, 'config' | 'origins'>
}

/** Where clients of this machine find csp: the given address, else that of the csp that runs, else the configured one. */
export async function clientAddress(loaded: ClientCall['loaded'], given: string | undefined): Promise<ClientAddress> {
  const { host, port, apiKeys } = loaded.config
  const [running] = given === undefined ? (await serversHere(loaded)).chosen : []
  const text = given ?? running?.url ?? localUrl(host, port)
  if (!/^https?:$/.test(URL.parse(text)?.protocol ?? '')) {
    throw new UsageError(`--url must be an address such as http://127.0.0.1:52480, not "${text}".`)
  }
  return { url: withoutLastSlashes(text), key: apiKeys[0] }
}

/** How a client can reach the csp of a call. */
export function clientAddresses({ shell, loaded: { config } }: ClientCall, address: ClientAddress): ClientAddresses {
  const { environment } = shell
  const own = serviceProgram(environment)
  return {
    address,
    program: ownProgram(environment, ['mcp']),
    claudeBin: claudeBinary(config, environment),
    command: own && [own.command, ...own.args],
    csp,
    timeoutSeconds: config.timeout,
    platform: process.platform,
  }
}

/** Explains how to create a key, where csp requires one and none is known: of named keys only hashes are stored. */
export async function reportMissingKey({ shell, loaded }: ClientCall, command: string): Promise<void> {
  if (loaded.config.apiKeys.length > 0 || (await readKeyFile(loaded.config.keyFile)).length === 0) return
  const advice = `Create one for this client:\n  CSP_API_KEYS=$(${csp} keys add NAME) ${csp} ${command}\n`
  shell.errors.write(`csp requires a key, and none is set here. ${advice}`)
}
