import { TunnelServer, type TunnelServerOptions } from '../../../tunnel/home/tunnel-server.ts'
import { closeCodes, ping, pingIntervalMs, pong } from '../../../tunnel/protocol.ts'

export interface HomeConnectionOptions extends Pick<TunnelServerOptions, 'handler' | 'capacity' | 'onEnd'> {
  /** `ws:` or `wss:`. */
  readonly url: string
  readonly authorization: string
  readonly onOpen: () => void
  readonly onRoundTrip: (milliseconds: number) => void
  readonly pingIntervalMs?: number | undefined
  /** How long the edge may take to open, and to answer a ping. */
  readonly answerTimeoutMs?: number | undefined
}

/** How a connection ended. */
export interface Ending {
  readonly opened: boolean
  readonly isReplaced: boolean
  /** For a person to read. */
  readonly reason: string
}

/** One WebSocket to the edge, from the dial to its end. */
export interface HomeConnection {
  readonly server: TunnelServer
  readonly ended: Promise<Ending>
  /** Ends it once what was sent has gone out. */
  close(): void
  /** Ends it at once. */
  cut(): void
}

/** Dials. Whatever happens to the socket, `ended` tells of it once. */
export function openConnection(options: HomeConnectionOptions): HomeConnection {
  const answerTimeoutMs = options.answerTimeoutMs ?? 10_000
  const socket = new BunSocket(options.url, {
    headers: { authorization: options.authorization },
    // Small frames gain nothing by it.
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
    // Not `close`: an edge that has begun to close by itself never answers it.
    if (socket.readyState !== WebSocket.CLOSED) socket.terminate()
  }

  // Such an edge leaves the socket half closed, with no event to tell of it.
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
    pinging = setInterval(sendPing, options.pingIntervalMs ?? pingIntervalMs)
  })
  socket.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    if (data === pong) {
      clearTimeout(waiting)
      if (pingedAt !== undefined) options.onRoundTrip(performance.now() - pingedAt)
      pingedAt = undefined
      return
    }
    const heard = typeof data === 'string' ? server.take(data) : 'bytes that nobody asked for'
    if (typeof heard === 'string') end(`The edge sent ${heard}.`)
    else if (heard) end(heard.reason, heard.code === closeCodes.replaced)
  })
  // A `close` follows, but for a dial that failed its words are all there is.
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

// The DOM's type of the global hides what Bun's sockets can do besides.
const BunSocket = WebSocket as unknown as new (
  url: string,
  options: Bun.WebSocketOptions,
) => WebSocket & { terminate(): void }
