import { samplePage } from './sample-page.ts'

/** A site in a thread of its own, so that its work is not the server's: `/170?n=1` is a page of 170 KB, gzipped. */
const pages = new Map<number, Uint8Array<ArrayBuffer>>()
const headers = { 'content-type': 'text/html; charset=utf-8', 'content-encoding': 'gzip' }

const server = Bun.serve({
  hostname: '0.0.0.0',
  port: 0,
  fetch(request) {
    const kilobytes = Number(new URL(request.url).pathname.slice(1))
    if (!kilobytes) return new Response('', { status: 404 })
    const body = pages.get(kilobytes) ?? new Uint8Array(Bun.gzipSync(samplePage(kilobytes * 1000)))
    pages.set(kilobytes, body)
    return new Response(body, { headers })
  },
})
postMessage(server.port)
