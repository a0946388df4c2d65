import { urlOf } from '../../bun/server.ts'
import type { Config } from '../../config/settings.ts'
import { UsageError } from '../../config/usage-error.ts'

/** How a client on this machine reaches csp. */
export interface Way {
  readonly url: string
  /** Absent where none is asked for. */
  readonly key?: string | undefined
}

/** Where csp listens as it is configured, unless another address is given. */
export function wayTo(
  { host, port, apiKeys }: Pick<Config, 'host' | 'port' | 'apiKeys'>,
  given: string | undefined,
): Way {
  const everywhere = host === '0.0.0.0' || host === '::'
  const text = given ?? urlOf(everywhere ? '127.0.0.1' : host, port)
  if (!/^https?:$/.test(URL.parse(text)?.protocol ?? '')) {
    throw new UsageError(`--url must be an address such as http://127.0.0.1:52480, not "${text}".`)
  }
  return { url: text.replace(/\/+$/, ''), key: apiKeys[0] }
}
