import { connect, createServer, type Socket } from 'node:net'

/**
 * What a connection does to its user.
 * - `pass`: everything goes through.
 * - `silent`: it is accepted, and nothing is ever said.
 * - `drop`: it is closed as soon as something is asked.
 * - a number: it is reset after so many bytes of replies.
 */
export type Wire = 'pass' | 'silent' | 'drop' | number

export interface TcpFront extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`, no slash at the end. */
  readonly url: string
  /** For what comes from now on, on open connections too. */
  set(wire: Wire): void
  /** Open connections of clients. */
  readonly open: number
}

/** A port of loopback in front of another, on which the wire itself can be made to fail. */
export async function startTcpFront(target: string): Promise<TcpFront> {
  const { hostname, port } = new URL(target)
  const clients = new Set<Socket>()
  let wire: Wire = 'pass'
  let replied = 0

  const server = createServer((client) => {
    clients.add(client)
    const upstream = connect(Number(port), hostname)
    const end = () => {
      clients.delete(client)
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) socket.on('error', end).on('close', end)
    client.on('data', (bytes) => {
      if (wire === 'drop') end()
      else if (wire !== 'silent') upstream.write(bytes)
    })
    upstream.on('data', (data) => {
      const bytes = Buffer.from(data)
      if (typeof wire !== 'number') return void (wire === 'pass' && client.write(bytes))
      const left = wire - replied
      replied += bytes.length
      if (left >= bytes.length) return void client.write(bytes)
      client.write(bytes.subarray(0, Math.max(0, left)), () => client.resetAndDestroy())
      upstream.destroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (typeof address !== 'object' || !address) throw new Error('It does not listen.')
  return {
    url: `http://127.0.0.1:${address.port}`,
    set(next) {
      wire = next
      replied = 0
    },
    get open() {
      return clients.size
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) client.destroy()
      server.close()
    },
  }
}
