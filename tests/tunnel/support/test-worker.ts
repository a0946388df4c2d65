import { relayThrough } from '../../../src/api/relay.ts'
import { createApp } from '../../../src/app.ts'
import { type Fetcher, remote } from '../../../src/executor/remote.ts'
import { admitHome } from '../../../src/tunnel/admit-home.ts'
import { HomeTunnel } from '../../../src/tunnel/home-tunnel.ts'
import { connectPath } from '../../../src/tunnel/protocol.ts'
import { homesHealth } from '../../../src/tunnel/status.ts'

/** A Worker with nothing but the tunnel behind it: no keys, no cache. */

export class TestTunnel extends HomeTunnel {
  // A frozen home is to be found out soon, and a slow machine is not to be taken for one.
  protected override readonly acceptTimeoutMs = 1000
}

interface Environment {
  readonly HOMES: { idFromName(name: string): unknown; get(id: unknown): Fetcher }
  readonly CSP_CONNECT_SECRET: string
}

export default {
  async fetch(request: Request, environment: Environment): Promise<Response> {
    const tunnel = environment.HOMES.get(environment.HOMES.idFromName('homes'))
    const { pathname, search } = new URL(request.url)
    if (pathname === connectPath) return admitHome(request, tunnel, environment.CSP_CONNECT_SECRET)
    // The object itself, for tests that speak to it.
    if (pathname === '/straight/connect') return tunnel.fetch(new Request(new URL('/__connect', request.url), request))
    if (pathname === '/status') return tunnel.fetch(new Request('http://tunnel.invalid/__status'))
    if (pathname.startsWith('/raw/')) {
      const response = await tunnel.fetch(new Request(new URL(`${pathname.slice(4)}${search}`, request.url), request))
      return new Response(response.body && marked(response.body), response)
    }
    const relays = request.headers.get('x-test-relay') === 'yes'
    const executor = remote({ name: 'home', fetcher: tunnel, health: () => homesHealth(tunnel, 'home') })
    const app = createApp({ executor, version: '1.2.3', ...(relays && { relay: relayThrough(tunnel) }) })
    return app.fetch(request)
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
