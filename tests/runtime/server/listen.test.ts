import { describe, expect, test } from 'bun:test'
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
})
