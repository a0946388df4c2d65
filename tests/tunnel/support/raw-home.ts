import { signLogin } from '../../../src/tunnel/login.ts'
import {
  connectPath,
  protocolVersion,
  type RequestFrame,
  readToHome,
  type ToEdge,
  type ToHome,
} from '../../../src/tunnel/protocol.ts'
import { secret } from './edge.ts'

/** A home whose frames are written by the test. */
export interface RawHome extends Disposable {
  send(frame: ToEdge | string | Uint8Array<ArrayBuffer>): void
  /** The next frame of a type that has not been taken yet. */
  next<Type extends ToHome['type']>(type: Type): Promise<Extract<ToHome, { type: Type }>>
  close(): void
}

const BunSocket = WebSocket as unknown as new (url: string, options: Bun.WebSocketOptions) => Bun.WebSocket

/** Connects; throws when it is not let in. */
export async function rawHome(edge: string, home: string, authorization?: string): Promise<RawHome> {
  const signed =
    authorization ??
    (await signLogin(secret, { home, capacity: 10, version: protocolVersion, edge: new URL(edge).host }))
  const socket = new BunSocket(`${edge.replace('http', 'ws')}${connectPath}`, { headers: { authorization: signed } })
  const frames: ToHome[] = []
  let news = Promise.withResolvers<void>()
  socket.addEventListener('message', ({ data }) => {
    const frame = readToHome(String(data))
    if (frame) frames.push(frame)
    news.resolve()
    news = Promise.withResolvers()
  })
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve())
    socket.addEventListener('error', () => reject(new Error('The edge does not let it in.')))
  })
  return {
    send: (frame) =>
      socket.send(typeof frame === 'string' || frame instanceof Uint8Array ? frame : JSON.stringify(frame)),
    async next(type) {
      for (;;) {
        const index = frames.findIndex((frame) => frame.type === type)
        // The type was just looked at, which the compiler does not follow.
        if (index >= 0) return frames.splice(index, 1)[0] as Extract<ToHome, { type: typeof type }>
        await news.promise
      }
    },
    close: () => socket.close(),
    [Symbol.dispose]: () => socket.terminate(),
  }
}

/** Takes a request on, as an honest home would. */
export async function accepted(home: RawHome): Promise<RequestFrame> {
  const request = await home.next('request')
  home.send({ type: 'accept', id: request.id })
  return request
}

/** And begins its reply. */
export async function replying(home: RawHome): Promise<RequestFrame> {
  const request = await accepted(home)
  home.send({ type: 'reply', id: request.id, status: 200, headers: [['content-type', 'text/plain']] })
  return request
}
