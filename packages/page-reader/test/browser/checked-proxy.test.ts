import { afterAll, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { eventually } from '@csp/testing/eventually'
import { quickTimers } from '@csp/testing/quick-timers'
import { type CheckedProxy, type CheckedProxyOptions, openCheckedProxy } from '../../src/browser/checked-proxy.ts'
import { PageBrowser } from '../../src/browser/page-browser.ts'
import { openedHosts } from '../../src/local/page-url.ts'
import { failureOf } from '../contract/page-reader.ts'

const echo = Bun.listen({
  hostname: '127.0.0.1',
  port: 0,
  socket: { data: (socket, data) => void socket.write(data) },
})
afterAll(() => echo.stop(true))
const opened = openedHosts([`site.example:${echo.port}`, '[fd00::7]:80'])

/** What a proxy of these options says to these parts. */
async function talk(
  parts: readonly (readonly number[])[],
  options: Partial<CheckedProxyOptions> = {},
): Promise<Buffer> {
  const proxy: CheckedProxy = await openCheckedProxy({
    opened,
    resolve: async () => ['127.0.0.1'],
    maxBytes: 1000,
    ...options,
  })
  const reply = await sayTo(proxy.port, parts)
  proxy.close()
  return reply
}

/** Sends bytes, each part after something has come back for the one before it; what came back until its end. */
async function sayTo(port: number, parts: readonly (readonly number[])[]): Promise<Buffer> {
  const socket = connect(port, '127.0.0.1')
  const got: Buffer[] = []
  const left = [...parts]
  const next = (): void => {
    const part = left.shift()
    if (part) socket.write(Buffer.from(part))
    else socket.end()
  }
  socket.on('connect', next)
  socket.on('data', (data) => {
    got.push(Buffer.from(data))
    next()
  })
  await new Promise((resolve) => socket.on('close', resolve).on('error', resolve))
  return Buffer.concat(got)
}

const greeting = [5, 1, 0]
const ask = (kind: number, address: readonly number[], port: number): readonly number[] => [
  5,
  1,
  0,
  kind,
  ...address,
  port >> 8,
  port & 255,
]
const named = (host: string, port: number) => ask(3, [host.length, ...Buffer.from(host)], port)
const answered = (reply: Buffer) => reply[3]

test('an opened host is reached at the address that was checked, and bytes go both ways', async () => {
  const reply = await talk([greeting, named('site.example', echo.port), [...Buffer.from('bees')]])
  expect(reply.subarray(0, 4)).toEqual(Buffer.from([5, 0, 5, 0]))
  expect(reply.subarray(12).toString()).toBe('bees')
})

test('the parts of a request may come one by one', async () => {
  const proxy = await openCheckedProxy({ opened, resolve: async () => ['127.0.0.1'], maxBytes: 1000 })
  const request = named('site.example', echo.port)
  for (const at of [1, 4, 5, request.length - 2, request.length - 1]) {
    const socket = connect(proxy.port, '127.0.0.1').setNoDelay()
    const got: Buffer[] = []
    socket.on('data', (data) => got.push(Buffer.from(data)))
    const came = (length: number) => eventually(() => Buffer.concat(got).length === length)
    socket.write(Buffer.from([5]))
    await Bun.sleep(5)
    socket.write(Buffer.from([1, 0]))
    await came(2)
    socket.write(Buffer.from(request.slice(0, at)))
    await Bun.sleep(5)
    socket.write(Buffer.from(request.slice(at)))
    await came(12)
    expect(answered(Buffer.concat(got))).toBe(0)
    socket.destroy()
  }
  proxy.close()
})

test('addresses in place of names are reached where they are opened', async () => {
  const six = Bun.listen({ hostname: '::1', port: 0, socket: { data: () => {} } })
  const hosts = openedHosts([`127.0.0.1:${echo.port}`, `[::1]:${six.port}`])
  const talks = [ask(1, [127, 0, 0, 1], echo.port), ask(4, [...Array<number>(15).fill(0), 1], six.port)]
  for (const request of talks) expect(answered(await talk([greeting, request], { opened: hosts }))).toBe(0)
  six.stop(true)
})

test('the first three addresses of a name are tried', async () => {
  const at = (...addresses: readonly string[]) =>
    talk([greeting, named('site.example', echo.port)], { resolve: async () => addresses })
  expect(answered(await at('127.0.0.2', '127.0.0.3', '127.0.0.1'))).toBe(0)
  expect(answered(await at('127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.1'))).toBe(2)
})

test('what a browser says before it is connected has 600 bytes at most', async () => {
  const all = [5, 255, ...Array<number>(255).fill(0), ...named('a'.repeat(255), 80)]
  const padded = (length: number) => [...all, ...Array<number>(length - all.length).fill(0)]
  expect(answered(await talk([padded(600)]))).toBe(2)
  expect(await talk([padded(601)])).toHaveLength(0)
})

test('the last byte of the limit is not too much', async () => {
  const heard = Promise.withResolvers<void>()
  let messages = 0
  const site = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data(socket) {
        if (++messages === 2) heard.resolve()
        else socket.write(Buffer.alloc(1000, 'a'))
      },
    },
  })
  const hosts = openedHosts([`site.example:${site.port}`])
  const proxy = await openCheckedProxy({ opened: hosts, resolve: async () => ['127.0.0.1'], maxBytes: 1000 })
  const said = sayTo(proxy.port, [greeting, named('site.example', site.port), [1], [2]])
  await heard.promise
  proxy.close()
  expect(await said).toHaveLength(2 + 10 + 1000)
  site.stop(true)
})

test('a name is resolved and checked anew for each connection', async () => {
  const answers = [['127.0.0.1'], ['10.0.0.1']]
  const asked: string[] = []
  const resolve = async (host: string) => {
    asked.push(host)
    return answers.shift() ?? ['169.254.169.254']
  }
  for (let round = 0; round < 3; round++)
    expect(answered(await talk([greeting, named('rebound.example', 80)], { resolve }))).toBe(2)
  expect(asked).toEqual(['rebound.example', 'rebound.example', 'rebound.example'])
})

test.each([
  ['127.0.0.1', ask(1, [127, 0, 0, 1], 80)],
  ['the metadata of a cloud', ask(1, [169, 254, 169, 254], 80)],
  ['::1', ask(4, [...Array<number>(15).fill(0), 1], 443)],
  ['127.0.0.1 in IPv6', ask(4, [...Array<number>(10).fill(0), 255, 255, 127, 0, 0, 1], 80)],
  ['localhost', named('localhost', 80)],
  ['another spelling of 127.0.0.1', named('0x7f.1', 80)],
  ['a name with a password', named('a:b@site.example', 80)],
  ['a path', named('127.0.0.1/site.example', 80)],
  ['a name of nothing', named('', 80)],
  ['another port of an opened host', named('site.example', 8080)],
  ['another port of the web', named('public.example', 22)],
])('%s is refused', async (_, request) => expect(answered(await talk([greeting, request]))).toBe(2))

test.each([
  ['another protocol', [[...Buffer.from('GET / HTTP/1.1\r\n\r\n')]]],
  ['a greeting without end', [[5, 255, ...Array<number>(600).fill(0)]]],
  ['a request to listen', [greeting, [5, 2, 0, 1, 127, 0, 0, 1, 0, 80]]],
  ['a kind of address that is not known', [greeting, [5, 1, 0, 9, 1, 2, 3, 4, 0, 80]]],
])('%s is cut off', async (_, parts) => expect(answered(await talk(parts))).not.toBe(0))

test('a browser that leaves takes its connection to the site along', async () => {
  const left = Promise.withResolvers<void>()
  const site = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: { data: (socket) => void socket.write('x'), close: () => left.resolve() },
  })
  const hosts = openedHosts([`site.example:${site.port}`])
  const proxy = await openCheckedProxy({ opened: hosts, resolve: async () => ['127.0.0.1'], maxBytes: 1000 })
  const browser = connect(proxy.port, '127.0.0.1', () => browser.write(Buffer.from(greeting)))
  browser.once('data', () => {
    browser.write(Buffer.from(named('site.example', site.port)))
    browser.once('data', () => browser.resetAndDestroy())
  })
  await left.promise
  proxy.close()
  site.stop(true)
})

test('more than the limit does not come', async () => {
  const much = [...Buffer.alloc(900, 'a')]
  const reply = await talk([greeting, named('site.example', echo.port), much, much, much, much], { maxBytes: 1000 })
  expect(reply.length).toBeWithin(12 + 900, 12 + 1801)
})

test('the proxy of a tab reaches opened hosts for a page of an opened host alone', async () => {
  const ports: number[] = []
  // A browser that says which proxy it is given, and then breaks.
  const browser = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request, server) {
      if (server.upgrade(request)) return undefined
      return Response.json({
        Browser: 'x',
        'User-Agent': 'x',
        webSocketDebuggerUrl: 'ws://127.0.0.1/devtools/browser/x',
      })
    },
    websocket: {
      async message(socket, message) {
        const { method, params } = JSON.parse(String(message))
        if (method !== 'Target.createBrowserContext') return
        const port = Number(new URL(params.proxyServer).port)
        ports.push(answered(await sayTo(port, [greeting, named('site.example', echo.port)])) ?? -1)
        socket.close()
      },
    },
  })
  const pages = new PageBrowser({
    address: browser.url.href,
    opened,
    userAgent: 'csp/test',
    resolve: async () => ['127.0.0.1'],
  })
  const allow = async (): Promise<void> => {}
  for (const url of [`http://site.example:${echo.port}/`, 'http://public.example/']) {
    expect(await failureOf(pages.show({ url, allow }, new AbortController().signal))).toBe('needs-scripts')
  }
  expect(ports).toEqual([0, 2])
  await browser.stop(true)
})

test('a page that is not shown in its time, is left or may not be asked for says so', async () => {
  using _ = quickTimers()
  const browser = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request, server) {
      if (server.upgrade(request)) return undefined
      const webSocketDebuggerUrl = 'ws://127.0.0.1/devtools/browser/x'
      return Response.json({ Browser: 'x', 'User-Agent': 'x', webSocketDebuggerUrl })
    },
    // A command is never answered.
    websocket: { message() {} },
  })
  const pages = (timeoutMs?: number) =>
    new PageBrowser({ address: browser.url.href, opened, userAgent: 'csp/test', timeoutMs })
  const show = (of: PageBrowser, signal: AbortSignal, url = 'https://public.example/') =>
    of.show({ url, allow: async () => {} }, signal).catch((error: unknown) => error)
  const { signal } = new AbortController()
  const late = await show(pages(50), signal)
  expect(late).toMatchObject({ code: 'needs-scripts', message: expect.stringMatching(/not shown it after 0\.05 s\.$/) })
  expect(await show(pages(), signal, 'http://10.0.0.1/')).toMatchObject({ code: 'not-allowed' })
  const [own, all] = [new AbortController(), pages()]
  const four = [1, 2, 3, 4].map(() => show(all, own.signal))
  await Bun.sleep(20)
  const reason = new Error('left')
  own.abort(reason)
  for (const error of await Promise.all(four)) expect(error).toBe(reason)
  await browser.stop(true)
})
