import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Extractor } from '@csp/page-reader/extract/pool'
import { createLocalReader, type LocalReaderOptions } from '@csp/page-reader/local/local'
import { openedHosts } from '@csp/page-reader/local/page-url'
import type { WholePageReader } from '@csp/page-reader/whole-page'
import { openPageReader } from '../../../src/runtime/server/open-page-reader.ts'

/** A web site on loopback. */
export interface Site extends AsyncDisposable {
  readonly port: number
  readonly origin: string
  /** The paths that were asked for, in order, robots.txt aside. */
  readonly paths: readonly string[]
  readonly requests: readonly IncomingMessage[]
  /** Connections that are open now. */
  readonly connections: () => Promise<number>
}

export type SitePages = Readonly<Record<string, string | RequestListener>>

/** Serves pages by their paths: HTML, or a function that answers. What it has not is 404. */
export async function openSite(pages: SitePages): Promise<Site> {
  const requests: IncomingMessage[] = []
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? ''
    if (path !== '/robots.txt') requests.push(request)
    const page = pages[path] ?? pages[path.replace(/\?.*$/, '')]
    if (typeof page === 'function') return page(request, response)
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' })
    response.end(page)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A listening server on TCP has an address of this kind.
  const { port } = server.address() as AddressInfo
  return {
    port,
    origin: `http://site.example:${port}`,
    get paths() {
      return requests.map(({ url }) => url ?? '')
    },
    requests,
    connections: () => new Promise((resolve) => server.getConnections((_, count) => resolve(count))),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A reader that may read this site by the name `site.example`, and nothing else that is not public. */
export function readerOf(port: number, options: Partial<LocalReaderOptions> = {}): WholePageReader {
  return createLocalReader({
    opened: openedHosts([`site.example:${port}`]),
    userAgent: 'csp/test (tests)',
    resolve: async () => ['127.0.0.1'],
    extractor: new Extractor({ openReader: openPageReader }),
    ...options,
  })
}
