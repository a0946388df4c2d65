import type { ServerWebSocket } from 'bun'

/** An edge on loopback that takes every home and does what the test says. */
export interface FakeEdge extends Disposable {
  readonly url: string
  /** What homes have sent, one after the other. */
  readonly received: (string | Uint8Array)[]
  /** The headers of each request for a connection. */
  readonly asked: Headers[]
  /** The connection that was opened last. */
  readonly socket: () => ServerWebSocket<undefined> | undefined
  /** How connections were closed. */
  readonly closed: (readonly [number, string])[]
}

export interface FakeEdgeOptions {
  /** Absent: it answers a ping, and nothing else. */
  readonly onMessage?: (socket: ServerWebSocket<undefined>, message: string | Uint8Array) => void
  readonly onOpen?: (socket: ServerWebSocket<undefined>) => void
  /** A reply in place of a connection. */
  readonly refuse?: () => Response | undefined | Promise<Response>
}

export function fakeEdge({ onMessage, onOpen, refuse }: FakeEdgeOptions = {}): FakeEdge {
  const received: (string | Uint8Array)[] = []
  const asked: Headers[] = []
  const closed: (readonly [number, string])[] = []
  let last: ServerWebSocket<undefined> | undefined
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request, own) {
      asked.push(request.headers)
      const refusal = await refuse?.()
      if (refusal) return refusal
      return own.upgrade(request) ? undefined : new Response('', { status: 500 })
    },
    websocket: {
      open(socket) {
        last = socket
        onOpen?.(socket)
      },
      message(socket, message) {
        received.push(message)
        if (onMessage) onMessage(socket, message)
        else if (message === 'ping') socket.send('pong')
      },
      close: (_, code, reason) => void closed.push([code, reason]),
    },
  })
  return {
    url: server.url.origin,
    received,
    asked,
    closed,
    socket: () => last,
    [Symbol.dispose]: () => void server.stop(true),
  }
}
