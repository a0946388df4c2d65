import { listeningHosts, localUrl } from './addresses.ts'
import { type ConnectionLimit, connectionLimit } from './connection-limit.ts'
import { type Fetch, ListenError, type RunningServer, startServer } from './server.ts'

/** A server that listens on several addresses, all at one port. */
export interface ListeningServer extends RunningServer {
  /** All addresses; `url` is the one for programs of this machine. */
  readonly urls: readonly string[]
}

/**
 * Starts to listen on the named addresses, and on loopback. Port 0 takes one that is free on all of them. Throws a
 * `ListenError` where one of them is not available, and then listens on none.
 */
export async function listen(
  fetch: Fetch,
  named: readonly string[],
  port: number,
  besides = false,
): Promise<ListeningServer> {
  const hosts = listeningHosts(named)
  const limit = connectionLimit()
  const servers = await (port === 0
    ? listenAnywhere(fetch, hosts, limit)
    : listenOn(hosts, (host) => startServer(fetch, host, port, besides, limit)))
  const chosen = servers[0]?.port ?? port
  return {
    url: localUrl(named, chosen),
    urls: servers.map(({ url }) => url),
    port: chosen,
    async stop(signal) {
      await Promise.all(servers.map((server) => server.stop(signal)))
    },
  }
}

/** The port that the first address gets may be in use on another one. */
async function listenAnywhere(
  fetch: Fetch,
  hosts: readonly string[],
  limit: ConnectionLimit,
): Promise<readonly RunningServer[]> {
  for (let left = maxChoices; ; left -= 1) {
    let chosen = 0
    try {
      return await listenOn(hosts, async (host) => {
        const server = await startServer(fetch, host, chosen, false, limit)
        chosen = server.port
        return server
      })
    } catch (error) {
      if (!(error instanceof ListenError) || chosen === 0 || left <= 1) throw error
    }
  }
}

const maxChoices = 5

/** All or none. */
async function listenOn(
  hosts: readonly string[],
  start: (host: string) => Promise<RunningServer>,
): Promise<readonly RunningServer[]> {
  const servers: RunningServer[] = []
  try {
    for (const host of hosts) servers.push(await start(host))
    return servers
  } catch (error) {
    await Promise.all(servers.map((server) => server.stop(AbortSignal.abort())))
    throw error
  }
}
