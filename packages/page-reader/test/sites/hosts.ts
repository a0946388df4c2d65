import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extract } from '../../src/extract/extract.ts'
import { createLocalReader, type LocalReaderOptions } from '../../src/local/local.ts'
import { send } from '../../src/local/send.ts'
import type { WholePageReader } from '../../src/whole-page.ts'

/** What a host sends: JSON, a text, or whatever a function does. What it has not is 404. */
export type HostReply = object | string | RequestListener

export interface Hosts extends AsyncDisposable {
  readonly reader: WholePageReader
  /** The addresses that were asked for, in order, robots.txt aside. */
  readonly asked: readonly string[]
  readonly requests: readonly IncomingMessage[]
  /** Whose robots.txt was asked for. */
  readonly robots: readonly string[]
}

/**
 * Hosts of the web, with their replies by `host/path?query`, on one server on loopback. Their names have public addresses,
 * and only what sends the requests that were checked leads them here.
 */
export async function openHosts(
  replies: Readonly<Record<string, HostReply>>,
  options: Partial<LocalReaderOptions> = {},
): Promise<Hosts> {
  const requests: IncomingMessage[] = []
  const asked: string[] = []
  const robots: string[] = []
  const server = createServer((request, response) => {
    const address = `${request.headers.host}${request.url}`
    if (request.url !== '/robots.txt') {
      requests.push(request)
      asked.push(address)
    } else robots.push(request.headers.host ?? '')
    const reply = replies[address]
    if (typeof reply === 'function') return (reply as RequestListener)(request, response)
    const type = typeof reply === 'object' ? 'application/json; charset=utf-8' : 'text/html; charset=utf-8'
    response.writeHead(reply === undefined ? 404 : 200, { 'content-type': type })
    response.end(typeof reply === 'object' ? JSON.stringify(reply) : reply)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A listening server on TCP has an address of this kind.
  const { port } = server.address() as AddressInfo
  const reader = createLocalReader({
    opened: new Map(),
    userAgent: 'csp/test (tests)',
    resolve: async () => ['93.184.215.14'],
    extractor: { warm() {}, extract: (extraction) => extract(extraction), close() {} },
    send: ({ url, headers, signal }) => {
      const here = new URL(url.pathname + url.search, `http://127.0.0.1:${port}`)
      return send({ url: here, addresses: ['127.0.0.1'], headers: { ...headers, host: url.host }, signal })
    },
    ...options,
  })
  return {
    reader,
    asked,
    requests,
    robots,
    async [Symbol.asyncDispose]() {
      await reader.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A reply with a status, and with headers. */
export function status(
  code: number,
  headers: Readonly<Record<string, string>> = {},
  body: object = {},
): RequestListener {
  return (_, response) =>
    void response.writeHead(code, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

/** A file of text. */
export function plain(text: string, type = 'text/plain; charset=utf-8'): RequestListener {
  return (_, response) => void response.writeHead(200, { 'content-type': type }).end(text)
}
