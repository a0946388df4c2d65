import { createApp } from '../../../src/app.ts'
import { remote } from '../../../src/executor/backends/remote/remote.ts'
import type { Executor } from '../../../src/executor/executor.ts'
import type { Fetcher } from '../../../src/executor/wire/fetcher.ts'
import { admitHome } from '../../../src/tunnel/edge/admission.ts'
import { TunnelObject } from '../../../src/tunnel/edge/tunnel-object.ts'
import { connectPath } from '../../../src/tunnel/protocol.ts'
import { homesHealth } from '../../../src/tunnel/status.ts'

/** A Worker with nothing but the tunnel behind it: no keys, no cache. */

export class TestTunnel extends TunnelObject {
  // A frozen home is to be found out soon, and a slow machine is not to be taken for one.
  protected override readonly acceptTimeoutMs = 1000
}

interface Environment {
  readonly HOMES: { idFromName(name: string): unknown; get(id: unknown): Fetcher }
  readonly CSP_CONNECT_SECRET: string
}

type App = ReturnType<typeof createApp>

let app: App | undefined

function appFor(tunnel: Fetcher): App {
  // A signal of one request's may not be touched by another, so each search has an executor of its own.
  const executor: Executor = {
    name: 'home',
    search: (request, context) => remote({ name: 'home', fetcher: tunnel }).search(request, context),
    health: () => homesHealth(tunnel, 'home'),
    close: async () => {},
  }
  app ??= createApp({ executor, version: '1.2.3' })
  return app
}

export default {
  async fetch(request: Request, environment: Environment): Promise<Response> {
    const { HOMES } = environment
    // What leads to an object belongs to a request, so it is asked for each time.
    const tunnel: Fetcher = { fetch: (asked) => HOMES.get(HOMES.idFromName('homes')).fetch(asked) }
    const { pathname, search } = new URL(request.url)
    if (pathname === connectPath) return admitHome(request, tunnel, environment)
    // The object itself, for tests that speak to it.
    if (pathname === '/straight/connect') return tunnel.fetch(new Request(new URL('/__connect', request.url), request))
    if (pathname === '/status') return tunnel.fetch(new Request('http://tunnel.invalid/__status'))
    if (pathname.startsWith('/raw/')) {
      const response = await tunnel.fetch(new Request(new URL(`${pathname.slice(4)}${search}`, request.url), request))
      return new Response(response.body && marked(response.body), response)
    }
    // workerd names the client in it, which a csp without keys takes for the mark of a proxy.
    const direct = new Request(request, { signal: request.signal })
    direct.headers.delete('cf-connecting-ip')
    return appFor(tunnel).fetch(direct)
  },
}

/** The same bytes; where they break off, it says so. */
function marked(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        return done ? controller.close() : controller.enqueue(value)
      } catch {
        controller.enqueue(new TextEncoder().encode('BROKEN'))
        controller.close()
      }
    },
    cancel: (reason) => reader.cancel(reason),
  })
}
