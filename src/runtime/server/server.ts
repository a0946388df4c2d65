import { withTimeout } from '@csp/lib/abort'
import { errorCode } from '@csp/lib/errors'
import { isLoopback } from '@csp/lib/url'
import type { Connection } from '../../api/exchange/exchange.ts'
import type { Config } from '../config/settings.ts'
import { CommandError, UsageError } from '../config/usage-error.ts'
import { csp } from '../shell/program.ts'
import { isEverywhere, urlOf } from './addresses.ts'
import { type ConnectionLimit, connectionLimit } from './connection-limit.ts'
import { cspAt } from './csp-at.ts'

/** A server that listens. */
export interface RunningServer {
  readonly url: string
  readonly port: number
  /** Rejects new requests and waits for running ones; when `signal` aborts, cuts them off. */
  stop(signal: AbortSignal): Promise<void>
}

/** The address is not available. The message says what to do. */
export class ListenError extends CommandError {
  override readonly name = 'ListenError'
}

/** What answers the requests. */
export type Fetch = (request: Request, connection: Connection) => Response | Promise<Response>

/**
 * Starts to listen. Throws a `ListenError` when the address is in use or not of this machine. `besides`: the csp that
 * listens there may go on, since it is about to leave.
 */
export async function startServer(
  fetch: Fetch,
  host: string,
  port: number,
  besides = false,
  limit = connectionLimit(),
): Promise<RunningServer> {
  if (port > 0 && !besides && (await answers(host, port))) throw new ListenError(await inUse(host, port))
  const server = await listen(fetch, host, port, limit)
  limit.watch(server.port ?? port)
  return {
    url: urlOf(host, server.port ?? port),
    port: server.port ?? port,
    async stop(signal) {
      const cut = () => void server.stop(true)
      signal.addEventListener('abort', cut)
      if (signal.aborted) cut()
      await server.stop()
      limit.end()
      signal.removeEventListener('abort', cut)
    },
  }
}

/** Throws a `UsageError` when the network could reach the server without a key. `named`: the keys of the key file. */
export function refuseOpenAddress(
  { host, apiKeys, allowedHosts }: Pick<Config, 'host' | 'apiKeys' | 'allowedHosts'>,
  named: readonly unknown[],
): void {
  const beyond = allowedHosts.find((name) => !isLoopback(name.replace(/:\d+$/, '')))
  const listening = host.find((address) => !isLoopback(address))
  const place = listening ?? beyond
  if (place === undefined) return
  if (apiKeys.some((key) => key.length < minKeyLength)) {
    throw new UsageError(
      `A key of fewer than ${minKeyLength} characters can be guessed, so csp does not take it where ${place} can be reached. ${csp} keys add NAME makes one.`,
    )
  }
  if (apiKeys.length > 0 || named.length > 0) return
  const how =
    listening === undefined
      ? `--allowed-hosts lets anyone who can reach ${place} use your subscription, so csp needs a key for it.`
      : `Anyone who can reach ${place} could use your subscription, so csp listens there only with keys.`
  throw new UsageError(
    [
      how,
      'Create one and start again:',
      `  ${csp} keys add NAME`,
      'Clients send it as "Authorization: Bearer KEY", "x-api-key" or "X-Subscription-Token".',
    ].join('\n'),
  )
}

/** Whether anything accepts connections there. What is no address of this machine may not even be refused. */
async function answers(host: string, port: number): Promise<boolean> {
  const hostname = isEverywhere(host) ? '127.0.0.1' : host
  const connected = Bun.connect({ hostname, port, socket: { data() {}, error() {} } }).then(
    (socket) => {
      socket.end()
      return true
    },
    () => false,
  )
  return (await withTimeout(connected, maxConnectMs)) === true
}

const maxConnectMs = 1000

const minKeyLength = 16

async function listen(fetch: Fetch, hostname: string, port: number, limit: ConnectionLimit) {
  try {
    return Bun.serve({
      hostname,
      port,
      development: false,
      // A csp that takes the place of another listens before that one leaves, so that no connection is refused. Only
      // programs of the same user can share a port; `answers` keeps a second csp from doing so by mistake.
      reusePort: port > 0,
      // The app rejects a body that is too large in the caller's own format; Bun would send no body.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      idleTimeout: idleSeconds,
      async fetch(request, server) {
        let isWhole = request.body === null
        const { isLast, admit, ended } = limit.began(server.requestIP(request)?.port ?? 0)
        const response = await fetch(request, {
          admit,
          keepOpen() {
            isWhole = true
            server.timeout(request, 0)
          },
          release() {
            ended()
            // Bun keeps what `keepOpen` set for the whole connection.
            server.timeout(request, idleSeconds)
          },
        })
        if (isWhole || isShort(request)) return isLast ? closing(response) : response
        await dropRest(request)
        // Otherwise Bun would read the rest of an unwanted body to its end.
        return closing(response)
      },
    })
  } catch (error) {
    const code = errorCode(error)
    if (code === 'EADDRINUSE') throw new ListenError(await inUse(hostname, port), { cause: error })
    if (code === 'EACCES')
      throw new ListenError(`This user may not listen on port ${port}. Choose one above 1023 with --port.`)
    if (code === 'EADDRNOTAVAIL') throw new ListenError(`${hostname} is not an address of this machine. Check --host.`)
    throw error
  }
}

/**
 * How long a body may take to arrive and a connection may be idle. Bun checks every four seconds. The head of a request
 * has a limit of its own, 12 s.
 */
const idleSeconds = 10

/** Whether the declared body is so short that Bun may read it to its end. */
function isShort({ headers }: Request): boolean {
  return Number(headers.get('content-length') ?? Number.NaN) <= 1024 * 1024
}

/**
 * Reads on and drops what a client still sends, within bounds: many clients read no reply before they have written
 * their whole body, and see a broken connection when it is closed before.
 */
async function dropRest({ body }: Request): Promise<void> {
  if (!body || body.locked) return
  const reader = body.getReader()
  const drop = async (): Promise<void> => {
    for (let size = 0; size < maxDroppedBytes; ) {
      const { done, value } = await reader.read()
      if (done) return
      size += value.byteLength
    }
  }
  await withTimeout(
    drop().catch(() => {}),
    maxDropMs,
  )
  // Not waited for: a client that sends nothing more would hold it up.
  void reader.cancel().catch(() => {})
}

const maxDroppedBytes = 32 * 1024 * 1024
const maxDropMs = 5000

/** The same reply, after which the connection is closed. */
function closing(response: Response): Response {
  const headers = new Headers(response.headers)
  headers.set('connection', 'close')
  return new Response(response.body, { status: response.status, headers })
}

async function inUse(host: string, port: number): Promise<string> {
  const other = await cspAt(urlOf(isEverywhere(host) ? '127.0.0.1' : host, port))
  const holder = other ? `by ${other.title}, which you can use as it is` : 'by another program'
  return `Port ${port} is in use ${holder}. To use another port: --port ${port + 1}, or --port 0 for any free one.`
}
