import type { Environment } from '../../shell/shell.ts'
import type { KnownClient } from './known-client.ts'
import { mcpClients } from './mcp-clients.ts'
import { searchClients } from './search-clients.ts'

/** The clients that `csp setup` knows, apart from OpenClaw, which has a way of its own. */
export function knownClients(environment: Environment, directory: string): readonly KnownClient[] {
  return [...mcpClients(environment), ...searchClients(environment, directory)]
}

/** Their ids. */
export function knownClientNames(): readonly string[] {
  return knownClients({ HOME: '/' }, '/').map(({ id }) => id)
}
