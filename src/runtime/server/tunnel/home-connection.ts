import { errorCode, messageOf } from '@csp/lib/errors'
import { z } from 'zod'
import { TunnelServer, type TunnelServerOptions } from '../../../tunnel/home/tunnel-server.ts'
import { closeCodes, connectPath, ping, pingIntervalMs, pong } from '../../../tunnel/protocol.ts'

export interface HomeConnectionOptions extends Pick<TunnelServerOptions, 'handler' | 'capacity' | 'state' | 'onEnd'> {
  /** `ws:` or `wss:`. */
  readonly url: string
  readonly authorization: string
  /** More headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The address of an HTTP proxy that leads there. Absent: none, whatever the environment says. */
  readonly proxy?: string | undefined
  readonly onOpen: () => void
  readonly onRoundTrip: (milliseconds: number) => void
  readonly pingIntervalMs?: number | undefined
  /** How long the edge may take to accept the connection and to answer a ping. */
  readonly answerTimeoutMs?: number | undefined
}

/** How a connection ended. */
export interface Ending {
  readonly opened: boolean
  readonly isReplaced: boolean
  /** Shown to the user. */
  readonly reason: string
}

/** One WebSocket connection to the edge. */
export interface HomeConnection {
  readonly server: TunnelServer
  readonly ended: Promise<Ending>
  /** Closes it after pending data was sent. */
  close(): void
  /** Closes it immediately. */
  cut(): void
}

/** Opens a connection. `ended` resolves once, whatever happens to the socket. */
export function openConnection(options: HomeConnectionOptions): HomeConnection {
  const answerTimeoutMs = options.answerTimeoutMs ?? 10_000
  const socket = new BunSocket(options.url, {
    headers: { ...options.headers, authorization: options.authorization },
    ...(options.proxy !== undefined && { proxy: options.proxy }),
    // Small frames do not benefit from compression.
    perMessageDeflate: false,
  })
  socket.binaryType = 'arraybuffer'
  const ended = Promise.withResolvers<Ending>()
  let opened = false
  const server = new TunnelServer({
    ...options,
    send: (message) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(message)
    },
  })

  function end(reason: string, isReplaced = false): void {
    clearInterval(closing)
    clearInterval(pinging)
    clearTimeout(waiting)
    server.close()
    ended.resolve({ opened, isReplaced, reason })
    // Not `close`: an edge that is already closing never answers it.
    if (socket.readyState !== WebSocket.CLOSED) socket.terminate()
  }

  // An edge that closes may leave the socket half closed, without an event.
  const closing = setInterval(() => {
    if (socket.readyState === WebSocket.CLOSING) end('The edge closed the connection.')
  }, 1000)
  let waiting = setTimeout(end, answerTimeoutMs, 'The edge does not answer.')
  let pinging: Timer | undefined
  let pingedAt: number | undefined

  function sendPing(): void {
    if (socket.readyState !== WebSocket.OPEN || pingedAt !== undefined) return
    pingedAt = performance.now()
    socket.send(ping)
    waiting = setTimeout(end, answerTimeoutMs, 'The edge does not answer.')
  }

  socket.addEventListener('open', () => {
    clearTimeout(waiting)
    opened = true
    options.onOpen()
    sendPing()
    void server.reportState()
    pinging = setInterval(() => {
      sendPing()
      // While it is not ready, nothing else would say that it is again.
      if (!server.isReady) void server.reportState()
    }, options.pingIntervalMs ?? pingIntervalMs)
  })
  socket.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    if (data === pong) {
      clearTimeout(waiting)
      if (pingedAt !== undefined) options.onRoundTrip(performance.now() - pingedAt)
      pingedAt = undefined
      return
    }
    const result = typeof data === 'string' ? server.take(data) : 'an unexpected binary frame'
    if (typeof result === 'string') end(`The edge sent ${result}.`)
    else if (result) end(result.reason, result.code === closeCodes.replaced)
  })
  // A `close` event follows, but only this event has the reason of a failed connection.
  socket.addEventListener('error', (event) => {
    if (!opened) end('message' in event ? String(event.message) : 'The connection failed.')
  })
  socket.addEventListener('close', ({ code, reason }) => {
    end(reason || `The connection was lost (${code}).`, code === closeCodes.replaced)
  })

  return {
    server,
    ended: ended.promise,
    close() {
      server.close()
      if (socket.readyState === WebSocket.OPEN) socket.close(1000, 'csp is stopping.')
      else end('csp is stopping.')
    },
    cut: () => end('csp is stopping.'),
  }
}

// The DOM type of the global lacks Bun's extensions.
const BunSocket = WebSocket as unknown as new (
  url: string,
  options: Bun.WebSocketOptions,
) => WebSocket & { terminate(): void }

/** Why an edge rejects this home. */
export interface EdgeRefusal {
  /** The code that the edge sent, or `no-edge`. */
  readonly code: string
  /** Says what to do. */
  readonly message: string
}

const refusalSchema = z.object({ type: z.literal('error'), code: z.string(), message: z.string().max(1000) })

/**
 * Asks an edge by HTTP why it rejected a WebSocket, which the socket does not report. A text says why the edge is not
 * reachable now, and `undefined` that it would accept the home: trying again may help.
 */
export async function refusalOf({
  url: edge,
  authorization,
  headers,
  proxy,
}: Pick<HomeConnectionOptions, 'url' | 'authorization' | 'headers' | 'proxy'>): Promise<
  EdgeRefusal | string | undefined
> {
  try {
    const response = await fetch(`${edge}${connectPath}`, {
      headers: { ...headers, authorization },
      proxy: proxy ?? false,
      redirect: 'manual',
      signal: AbortSignal.timeout(maxWaitMs),
    })
    const refusal = refusalSchema.safeParse(await response.json().catch(() => undefined)).data
    if (refusal && refusal.code !== 'upgrade' && refusal.code !== 'unavailable') return refusal
    if (refusal || response.status >= 500) return undefined
    if (isByAccess(response)) return { code: 'access', message: headers ? wrongToken : noToken }
    return { code: 'no-edge', message: `There is no csp edge at ${edge} (status ${response.status}).` }
  } catch (error) {
    const { host } = new URL(edge)
    const code = errorCode(error)
    const cause = (typeof code === 'string' ? causes[code] : undefined) ?? messageOf(error)
    const way = proxy === undefined ? '' : ` through the proxy ${new URL(proxy).host}`
    return `${host} cannot be reached${way}: ${cause.replace(/\.?$/, '.')}`
  }
}

/** Whether Cloudflare Access answered in place of the edge: with the way to its login, or a refusal. */
function isByAccess({ status, headers }: Response): boolean {
  if (headers.get('location')?.includes('/cdn-cgi/access/')) return true
  return (status === 401 || status === 403) && [...headers.keys()].some((name) => name.startsWith('cf-access-'))
}

const noToken = 'Cloudflare Access protects the edge. Set CSP_ACCESS_TOKEN to a service token: ID:SECRET.'
const wrongToken = 'Cloudflare Access refuses the service token. A policy must allow it, with the action Service Auth.'

const causes: Readonly<Record<string, string>> = {
  ENOTFOUND: 'no such host, or no network',
  ECONNREFUSED: 'nothing listens there',
  EPROTO: 'it does not speak TLS on this port',
  ETIMEDOUT: 'it does not answer',
  ENETUNREACH: 'no network',
}

const maxWaitMs = 5000
