import { connect, createServer, type Socket } from 'node:net'

/** An HTTP proxy on loopback that knows CONNECT alone. */
export interface ConnectProxy extends AsyncDisposable {
  /** With a name and a password. */
  readonly url: string
  /** The heads of the requests that came, in order. */
  readonly requests: readonly string[]
}

/** Starts one that leads wherever it is asked to, for whom has the password. */
export async function startConnectProxy(): Promise<ConnectProxy> {
  const requests: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    sockets.add(client)
    client.on('error', () => client.destroy())
    client.once('data', (data) => {
      const head = data.toString('latin1')
      requests.push(head)
      const [, host, port] = /^CONNECT ([^ :]+):(\d+) /.exec(head) ?? []
      if (host === undefined || !head.includes(`Basic ${btoa('me:a-password')}`)) {
        client.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n')
        return
      }
      const target = connect(Number(port), host, () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n')
        client.pipe(target).pipe(client)
      })
      sockets.add(target)
      target.on('error', () => client.destroy())
      client.on('close', () => target.destroy())
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return {
    url: `http://me:a-password@127.0.0.1:${port}`,
    requests,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
