import { withoutLastSlashes } from '../../../lib/url.ts'
import type { ClientAddress } from '../../../web-ui/client-settings.ts'
import { chooseServers } from '../../background/choose-servers.ts'
import { runningServers } from '../../background/running-servers.ts'
import { localUrl } from '../../bun/addresses.ts'
import type { LoadedConfig } from '../../config/config.ts'
import { UsageError } from '../../config/usage-error.ts'

/** Where clients of this machine find csp: the given address, else that of the csp that runs, else the configured one. */
export async function clientAddress(
  loaded: Pick<LoadedConfig, 'config' | 'origins'>,
  given: string | undefined,
): Promise<ClientAddress> {
  const { host, port, apiKeys, stateDir } = loaded.config
  const [running] = given === undefined ? chooseServers(await runningServers(stateDir), loaded) : []
  const text = given ?? running?.url ?? localUrl(host, port)
  if (!/^https?:$/.test(URL.parse(text)?.protocol ?? '')) {
    throw new UsageError(`--url must be an address such as http://127.0.0.1:52480, not "${text}".`)
  }
  return { url: withoutLastSlashes(text), key: apiKeys[0] }
}
