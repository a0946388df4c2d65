import { describe, expect, spyOn, test } from 'bun:test'
import { listeningHosts, localUrl, urlOf } from '../../../src/runtime/server/addresses.ts'
import { listen } from '../../../src/runtime/server/listen.ts'
import { ListenError, startServer } from '../../../src/runtime/server/server.ts'

const hello = () => new Response('hello')

test.each([
  [['127.0.0.1'], ['127.0.0.1'], 'http://127.0.0.1:1'],
  [['192.0.2.1'], ['127.0.0.1', '192.0.2.1'], 'http://127.0.0.1:1'],
  [['192.0.2.1', '127.0.0.1', '192.0.2.1'], ['192.0.2.1', '127.0.0.1'], 'http://127.0.0.1:1'],
  [['[::1]'], ['::1'], 'http://[::1]:1'],
  [['192.0.2.1', '0.0.0.0', '2001:db8::1'], ['0.0.0.0', '2001:db8::1'], 'http://127.0.0.1:1'],
  [['192.0.2.1', '::'], ['::'], 'http://127.0.0.1:1'],
])('a csp on %j listens on %j, and this machine finds it at %s', (named, hosts, url) => {
  expect(listeningHosts(named)).toEqual(hosts)
  expect(localUrl(named, 1)).toBe(url)
})

test('listening addresses are written as URLs', () => {
  expect(urlOf('127.0.0.1', 1)).toBe('http://127.0.0.1:1')
  expect(urlOf('::1', 1)).toBe('http://[::1]:1')
})

describe('several addresses', () => {
  const both = ['127.0.0.1', '127.0.0.2']

  test('share a port that csp chose, answer alike, and stop together', async () => {
    const server = await listen(hello, both, 0)
    expect(server.port).toBeGreaterThan(0)
    expect(server.urls).toEqual(both.map((host) => urlOf(host, server.port)))
    for (const url of server.urls) expect(await (await fetch(url)).text()).toBe('hello')
    await server.stop(new AbortController().signal)
    for (const url of server.urls) expect(await fetch(url).catch(() => 'refused')).toBe('refused')
  })

  test('are all free again where one of them is in use', async () => {
    const other = await startServer(hello, '127.0.0.2', 0)
    const failure = await listen(hello, both, other.port).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ListenError)
    expect(await fetch(urlOf('127.0.0.1', other.port)).catch(() => 'refused')).toBe('refused')
    await other.stop(AbortSignal.abort())
  })

  test('get another port where the one that the first of them got is in use, and the first lets go of it', async () => {
    const serve = Bun.serve
    const ports: unknown[] = []
    const starting = spyOn(Bun, 'serve').mockImplementation(((options: { port: number }) => {
      if (ports.push(options.port) === 2) throw Object.assign(new Error('in use'), { code: 'EADDRINUSE' })
      return serve(options as never)
    }) as never)
    try {
      const server = await listen(hello, both, 0)
      const [, first = 0, , second] = ports
      expect(ports).toEqual([0, first, 0, second])
      expect([server.port, new Set(server.urls).size]).toEqual([Number(second), 2])
      expect(await fetch(urlOf('127.0.0.1', Number(first))).catch(() => 'refused')).toBe('refused')
      await server.stop(AbortSignal.abort())
    } finally {
      starting.mockRestore()
    }
  })

  test('get another port where a program of this user answers, which would share it', async () => {
    const connect = spyOn(Bun, 'connect').mockImplementationOnce((async () => ({ end() {} })) as never)
    try {
      const server = await listen(hello, both, 0)
      expect(connect).toHaveBeenCalledTimes(2)
      await server.stop(AbortSignal.abort())
    } finally {
      connect.mockRestore()
    }
  })

  test.each([
    ['five times, where another one cannot be had', ['127.0.0.1', '127.0.0.3'], 'EADDRNOTAVAIL', 10],
    ['once, where the first cannot be had', ['127.0.0.3', '127.0.0.1'], 'EADDRNOTAVAIL', 1],
    ['once, where the failure is another one', ['127.0.0.1', '127.0.0.3'], 'EMFILE', 2],
  ])('are tried %s', async (_, hosts, code, starts) => {
    const serve = Bun.serve
    const starting = spyOn(Bun, 'serve').mockImplementation(((options: { hostname: string }) => {
      if (options.hostname === '127.0.0.3') throw Object.assign(new Error('no'), { code })
      return serve(options as never)
    }) as never)
    try {
      expect(await listen(hello, hosts, 0).catch(() => 'failed')).toBe('failed')
      expect(starting).toHaveBeenCalledTimes(starts)
    } finally {
      starting.mockRestore()
    }
  })

  test('are shared with a csp that is about to leave, if that is said', async () => {
    const first = await listen(hello, both, 0)
    // Port 0 is free already; a named one may be in use.
    const old = await listen(() => new Response('old'), ['127.0.0.1'], first.port, true).catch(String)
    expect(old).toContain(`Port ${first.port} is in use`)
    await first.stop(AbortSignal.abort())
    const leaving = await listen(hello, both, first.port)
    const taking = await listen(hello, both, first.port, true)
    expect([leaving.port, taking.port]).toEqual([first.port, first.port])
    expect(await listen(hello, both, first.port).catch((error: unknown) => error)).toBeInstanceOf(ListenError)
    await Promise.all([leaving, taking].map((server) => server.stop(AbortSignal.abort())))
  })
})
