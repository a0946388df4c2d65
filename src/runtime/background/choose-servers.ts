import type { LoadedConfig } from '../config/config.ts'
import type { RunningServerRecord } from './running-servers.ts'

/** The settings that name a csp, and whether somebody chose them. */
export interface NamedPort {
  readonly config: Pick<LoadedConfig['config'], 'port'>
  readonly origins: Pick<LoadedConfig['origins'], 'port'>
}

/** The server at the configured port; without one there, unless the command names the port, the only one that runs. */
export function chooseServers(
  servers: readonly RunningServerRecord[],
  { config: { port }, origins }: NamedPort,
): readonly RunningServerRecord[] {
  const there = servers.filter((server) => server.port === port)
  // Port 0 names none, and the port in the file may have changed since the csp that runs was started.
  const isNamed = ['--port', 'CSP_PORT'].includes(origins.port) && port !== 0
  return there.length > 0 || isNamed || servers.length !== 1 ? there : servers
}

/** What is said where no server was chosen. */
export function nothingRuns(servers: readonly RunningServerRecord[], { config: { port } }: NamedPort): string {
  const others = servers.map((server) => server.url).join(', ')
  return `No csp of this user is running at port ${port}.${others ? ` Running: ${others}. Choose one with --port.` : ''}`
}
