import { afterAll, expect, test } from 'bun:test'
import type { ServerWebSocket } from 'bun'
import { BrowserError, browserVersion, DevTools, type DevToolsEvent } from '../../src/browser/devtools.ts'

const { signal } = new AbortController()
const sockets: ServerWebSocket<unknown>[] = []
let said: unknown = {}

/** A browser that answers a command with what stands under `reply` in its parameters, as often as it is there. */
const browser = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: (request, server) => (server.upgrade(request) ? undefined : Response.json(said)),
  websocket: {
    open: (socket) => void sockets.push(socket),
    message(socket, message) {
      const { id, params } = JSON.parse(String(message))
      for (const reply of params.replies ?? [])
        socket.send(typeof reply === 'string' ? reply : JSON.stringify({ id, ...reply }))
    },
  },
})
afterAll(() => browser.stop(true))

async function open() {
  const devTools = new DevTools(new URL(`ws://127.0.0.1:${browser.port}/`))
  const [events, ends]: [DevToolsEvent[], Error[]] = [[], []]
  devTools.onEvent = (event) => void events.push(event)
  devTools.onEnd = (error) => void ends.push(error)
  await devTools.ready
  return { devTools, events, ends }
}

test('a command has the result or the error that comes under its number', async () => {
  const { devTools } = await open()
  const call = (...replies: readonly unknown[]) => devTools.call('Some.command', { replies })
  const other = call()
  expect(await call({ id: 77, result: 'another' }, 'no JSON', '7', { result: { a: 1 } }, { result: 'again' })).toEqual({
    a: 1,
  })
  const refused = await call({ error: { message: 'no such target' } }).catch((error: unknown) => error)
  expect(refused).toEqual(new BrowserError('the browser refuses a command: no such target'))
  devTools.close()
  expect(await other.catch((error: unknown) => error)).toEqual(new BrowserError('the browser has ended'))
})

test('events come with the session of their tab', async () => {
  const { devTools, events } = await open()
  const event = { method: 'Page.lifecycleEvent', params: { name: 'load' }, sessionId: 'tab' }
  await devTools.call('Some.command', { replies: [JSON.stringify(event), '{"method":"Target.detached"}', {}] })
  expect(events).toEqual([event, { method: 'Target.detached', params: undefined, sessionId: undefined }])
  devTools.close()
})

test('when the browser ends, so do its commands, and no other begins', async () => {
  const { devTools, ends } = await open()
  const waiting = devTools.call('Some.command').catch((error: unknown) => error)
  sockets.at(-1)?.close()
  const ended = new BrowserError('the browser has ended')
  expect(await waiting).toEqual(ended)
  expect(ends).toEqual([ended])
  expect(await devTools.call('Some.command').catch((error: unknown) => error)).toEqual(ended)
})

test('a browser says what it is, within bounds', async () => {
  const address = browser.url.href
  const whole = {
    Browser: 'B'.repeat(200),
    'User-Agent': 'U'.repeat(1000),
    webSocketDebuggerUrl: 'ws://elsewhere.example/devtools/x',
  }
  said = whole
  expect(await browserVersion(address, signal)).toEqual({
    name: whole.Browser,
    userAgent: whole['User-Agent'],
    socket: new URL(`ws://127.0.0.1:${browser.port}/devtools/x`),
  })
  for (const parts of [
    { Browser: 'B'.repeat(201) },
    { 'User-Agent': 'U'.repeat(1001) },
    { webSocketDebuggerUrl: 'x' },
  ]) {
    said = { ...whole, ...parts }
    const error = await browserVersion(address, signal).catch((error: unknown) => error)
    expect(error).toEqual(
      new BrowserError(`the server at 127.0.0.1:${browser.port} does not speak the DevTools protocol`),
    )
  }
})
