import { connect, type Socket } from 'node:net'

/** A connection on which bytes are sent as they are, whatever HTTP says of them. */
export interface RawConnection {
  readonly socket: Socket
  /** All that has come. */
  readonly received: () => string
  /** Resolves when the other end has closed or reset it. */
  readonly closed: Promise<void>
  send(bytes: string): void
  /** Resolves with all that has come, once it holds so many whole replies, or the other end has closed. */
  replies(count: number): Promise<string>
}

/** Connects to the server of a URL. */
export async function rawConnection(url: string): Promise<RawConnection> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let text = ''
  let isClosed = false
  const waiting = new Set<() => void>()
  const wake = (): void => {
    for (const check of waiting) check()
  }
  socket.on('data', (bytes: Buffer) => {
    text += bytes.toString('latin1')
    wake()
  })
  // A reset is one way of closing.
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) =>
    socket.on('close', () => {
      isClosed = true
      wake()
      resolve()
    }),
  )
  await new Promise<void>((resolve) => socket.once('connect', () => resolve()))
  return {
    socket,
    received: () => text,
    closed,
    send: (bytes) => void socket.write(Buffer.from(bytes, 'latin1')),
    replies: (count) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (!isClosed && wholeReplies(text) < count) return
          waiting.delete(check)
          resolve(text)
        }
        waiting.add(check)
        check()
      }),
  }
}

/** The statuses of the replies, less those that only say to go on. */
export function statusesOf(text: string): readonly number[] {
  const found = [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
  return found.filter((status) => status >= 200)
}

/** Replies whose length is given and that are complete. */
function wholeReplies(text: string): number {
  let count = 0
  let rest = text
  for (;;) {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) return count
    const head = rest.slice(0, end)
    const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0)
    const isInterim = /^HTTP\/1\.1 1/.test(head)
    if (rest.length < end + 4 + length) return count
    if (!isInterim) count++
    rest = rest.slice(end + 4 + length)
  }
}
