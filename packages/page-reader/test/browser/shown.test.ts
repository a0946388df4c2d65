import { afterAll, expect, test } from 'bun:test'
import type { ServerWebSocket } from 'bun'
import { PageBrowser } from '../../src/browser/page-browser.ts'
import { openedHosts } from '../../src/local/page-url.ts'

// A page is shown by a browser that a test plays: over HTTP and a socket, as Chromium does.

const page = { url: 'https://bees.example/', html: '<p>Bees hum.' }
const replies: Readonly<Record<string, object>> = {
  'Target.createBrowserContext': { browserContextId: 'context' },
  'Target.createTarget': { targetId: 'tab' },
  'Target.attachToTarget': { sessionId: 'session' },
  'Page.createIsolatedWorld': { executionContextId: 7 },
  'Runtime.evaluate': { result: { value: page } },
}
const calls: (readonly [method: string, params: Readonly<Record<string, unknown>>])[] = []
let open = 0
let most = 0
let atDisposal: number | undefined

const browser = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch(request, server) {
    if (server.upgrade(request)) return undefined
    const webSocketDebuggerUrl = 'ws://127.0.0.1/devtools/browser/x'
    return Response.json({ Browser: 'Chrome/140', 'User-Agent': 'Chrome', webSocketDebuggerUrl })
  },
  websocket: {
    open() {
      most = Math.max(most, ++open)
    },
    close() {
      open--
    },
    async message(socket, message) {
      const { id, method, params } = JSON.parse(String(message))
      calls.push([method, params])
      if (method === 'Target.disposeBrowserContext') {
        await Bun.sleep(20)
        atDisposal = open
      }
      socket.send(JSON.stringify({ id, result: replies[method] ?? {} }))
      if (method === 'Page.navigate') sayLoaded(socket)
    },
  },
})
afterAll(() => browser.stop(true))

function sayLoaded(socket: ServerWebSocket<unknown>): void {
  const say = (method: string, params: object) =>
    socket.send(JSON.stringify({ method, params: { frameId: 'tab', ...params }, sessionId: 'session' }))
  say('Network.responseReceived', { type: 'Document', response: { status: 200 } })
  say('Page.lifecycleEvent', { name: 'networkIdle' })
}

const options = { address: browser.url.href, opened: openedHosts([]), userAgent: 'csp/test' }
const request = { url: page.url, allow: async () => {} }
const { signal } = new AbortController()

test('a page is shown in a context of its own, which is gone before the connection is', async () => {
  expect(await new PageBrowser(options).show(request, signal)).toEqual(page)
  expect(atDisposal).toBe(1)
  expect(calls[0]?.[0]).toBe('Target.createBrowserContext')
  expect(calls.at(-1)).toEqual(['Target.disposeBrowserContext', { browserContextId: 'context' }])
  const agent = calls.find(([method]) => method === 'Network.setUserAgentOverride')
  expect(agent?.[1]).toEqual({ userAgent: 'Chrome csp/test' })
})

test('three pages are shown at once, and the others after them', async () => {
  most = 0
  const pages = new PageBrowser(options)
  const shown = await Promise.all([1, 2, 3, 4, 5].map(() => pages.show(request, signal)))
  expect(shown).toEqual([1, 2, 3, 4, 5].map(() => page))
  expect(most).toBe(3)
})
