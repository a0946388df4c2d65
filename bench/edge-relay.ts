import { Miniflare } from 'miniflare'
import { wranglerToml } from '../tests/edge/support/edge.ts'

const relayScript = `
import { DurableObject } from 'cloudflare:workers'
export class Relay extends DurableObject {
  async fetch(request) {
    if (request.headers.get('upgrade') === 'websocket') {
      const { 0: client, 1: server } = new WebSocketPair()
      this.ctx.acceptWebSocket(server)
      return new Response(null, { status: 101, webSocket: client })
    }
    const body = new ReadableStream({ start: (controller) => { this.controller = controller } })
    this.ctx.getWebSockets()[0].send(new URL(request.url).searchParams.get('frames'))
    return new Response(body)
  }
  webSocketMessage(socket, message) {
    if (typeof message === 'string') this.controller.close()
    else this.controller.enqueue(new Uint8Array(message))
  }
}
export default {
  async fetch(request, { CACHE, HOMES }, context) {
    const { searchParams } = new URL(request.url)
    const key = searchParams.get('key')
    if (key) {
      await CACHE.get(key)
      context.waitUntil(CACHE.put(key, 'x'.repeat(1000)))
    }
    if (searchParams.get('frames') === '0') return new Response('')
    return HOMES.get(HOMES.idFromName('homes')).fetch(request)
  },
}`

/**
 * A Worker and an object that pass frames from a socket to a client and do nothing else but read KV before and write it
 * behind; with 0 frames, the object is not asked either. The frames are as large as chunks of Sonar and come at even intervals over the same time.
 */
export async function startRelay(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const { compatibility_date: compatibilityDate, compatibility_flags: compatibilityFlags } = await wranglerToml()
  const miniflare = new Miniflare({
    modules: true,
    script: relayScript,
    ...{ compatibilityDate, compatibilityFlags, host: '127.0.0.1', port: 0, cf: false },
    kvNamespaces: ['CACHE'],
    durableObjects: { HOMES: { className: 'Relay', useSQLite: true } },
  })
  const { origin } = await miniflare.ready
  const socket = new WebSocket(`${origin.replace('http', 'ws')}/connect`)
  await new Promise((resolve) => socket.addEventListener('open', resolve, { once: true }))
  socket.addEventListener('message', async ({ data }) => {
    const frames = Number(data)
    for (let frame = 0; frame < frames; frame++) {
      await Bun.sleep(1250 / frames)
      socket.send(new Uint8Array(400))
    }
    socket.send('end')
  })
  return {
    url: origin,
    async stop() {
      socket.close()
      await miniflare.dispose()
    },
  }
}
