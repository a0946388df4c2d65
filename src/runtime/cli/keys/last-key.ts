import { UsageError } from '../../config/usage-error.ts'
import { refuseOpenAddress } from '../../server/server.ts'
import { csp } from '../../shell/program.ts'
import type { ServingCsp } from './serving.ts'

/** What happens once the last key is revoked, and how clients get in again. */
export function afterLastKey({ running, config }: ServingCsp): string {
  const isOpen = servesWithoutKeys(config)
  if (!running) {
    return `This is the last key. The next ${csp} start ${isOpen ? 'serves this machine without keys' : `fails until there is another: ${csp} keys add NAME`}.`
  }
  return [
    `This is the last key. csp at ${running.url} still requires a key, and so refuses all clients.`,
    `To let clients in again: ${csp} keys add NAME, which takes effect at once.`,
    isOpen ? `Or ${csp} restart, to serve this machine without keys.` : 'Without a key csp does not start again there.',
  ].join('\n')
}

function servesWithoutKeys(config: Parameters<typeof refuseOpenAddress>[0]): boolean {
  try {
    refuseOpenAddress(config, [])
    return true
  } catch (error) {
    if (error instanceof UsageError) return false
    throw error
  }
}
