import { afterAll, describe, expect, test } from 'bun:test'
import { createApp } from '../../src/app.ts'
import type { SearchRequest } from '../../src/domain/search.ts'
import { startServer } from '../../src/runtime/server/server.ts'
import { answered, found, type Step, scriptedExecutor } from '../support/scripted-executor.ts'
import { type RawConnection, rawConnection, statusesOf } from './raw-connection.ts'

// What comes over the wire and is no proper HTTP, or too slow: answered or cut, without harm to other callers.

const release = Promise.withResolvers<void>()
const executor = scriptedExecutor(({ query, want }: SearchRequest): readonly Step[] => [
  ...(query === 'slow' ? [() => release.promise] : []),
  ...(want === 'results' ? found(3) : answered),
])
const app = createApp({ executor, version: '1' })
const server = await startServer((request, connection) => app.fetch(request, { connection }), '127.0.0.1', 0)
afterAll(() => server.stop(AbortSignal.abort()))

const host = 'Host: 127.0.0.1\r\n'
const path = '/v1/search?q=bees'
const json = '{"query":"bees"}'
const hidden = `GET ${path} HTTP/1.1\r\n${host}\r\n`
const post = (headers: string, body = json) => `POST /v1/search HTTP/1.1\r\n${host}${headers}\r\n${body}`
const chunks = `10\r\n${json}\r\n0\r\n\r\n`

/** Each with the status that it gets, or none where it is cut without a word, and the searches it costs. */
const cases: readonly (readonly [name: string, bytes: string, statuses: readonly number[], searches: number])[] = [
  ['an ordinary GET', `GET ${path} HTTP/1.1\r\n${host}\r\n`, [200], 1],
  [
    'both lengths, the one in bytes first',
    post('Content-Length: 5\r\nTransfer-Encoding: chunked\r\n', `0\r\n\r\n${hidden}`),
    [400],
    0,
  ],
  [
    'both lengths, chunked first',
    post('Transfer-Encoding: chunked\r\nContent-Length: 6\r\n', `0\r\n\r\n${hidden}`),
    [400],
    0,
  ],
  ['two lengths', post('Content-Length: 16\r\nContent-Length: 5\r\n'), [400], 0],
  ['a list of lengths', post('Content-Length: 16, 5\r\n'), [400], 0],
  ['a length with a sign', post('Content-Length: +16\r\n'), [400], 0],
  ['a negative length', post('Content-Length: -1\r\n'), [400], 0],
  ['a length beyond numbers', post('Content-Length: 99999999999999999999999\r\n'), [400], 0],
  ['a length beyond measure', post('Content-Length: 9999999999999\r\n'), [413], 0],
  ['an unknown transfer encoding', post('Transfer-Encoding: xchunked\r\n', chunks), [400], 0],
  ['two transfer encodings', post('Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n', chunks), [400], 0],
  ['a space behind a name', post('Transfer-Encoding : chunked\r\n', chunks), [400], 0],
  ['chunks', post('Transfer-Encoding: chunked\r\n', chunks), [200], 1],
  ['a chunk of no number', post('Transfer-Encoding: chunked\r\n', `zz\r\n${json}\r\n0\r\n\r\n`), [400], 0],
  ['a chunk beyond numbers', post('Transfer-Encoding: chunked\r\n', `ffffffffffffffff1\r\n${json}`), [400], 0],
  ['chunks with bare line feeds', post('Transfer-Encoding: chunked\r\n', `10\n${json}\n0\n\n`), [400], 0],
  ['a folded header', `GET ${path} HTTP/1.1\r\n${host}X-A: b\r\n c\r\n\r\n`, [400], 0],
  ['a NUL in a header', `GET ${path} HTTP/1.1\r\n${host}X-A: b\0c\r\n\r\n`, [400], 0],
  ['bare line feeds', `GET ${path} HTTP/1.1\nHost: 127.0.0.1\n\n`, [505], 0],
  ['a bare line feed in a header', `GET ${path} HTTP/1.1\r\n${host}X-A: b\nX-B: c\r\n\r\n`, [400], 0],
  ['a bare carriage return', `GET ${path} HTTP/1.1\r\n${host}X-A: b\rX-B: c\r\n\r\n`, [400], 0],
  ['a space in a name', `GET ${path} HTTP/1.1\r\n${host}X A: b\r\n\r\n`, [400], 0],
  ['two hosts', `GET ${path} HTTP/1.1\r\n${host}Host: evil.example\r\n\r\n`, [403], 0],
  ['two hosts, the other way', `GET ${path} HTTP/1.1\r\nHost: evil.example\r\n${host}\r\n`, [403], 0],
  ['no host', `GET ${path} HTTP/1.1\r\n\r\n`, [400], 0],
  ['an empty host', `GET ${path} HTTP/1.1\r\nHost:\r\n\r\n`, [400], 0],
  ['a host that is no name', `GET ${path} HTTP/1.1\r\nHost: a b/c\r\n\r\n`, [400], 0],
  ['a host with a user', `GET ${path} HTTP/1.1\r\nHost: evil.example@127.0.0.1\r\n\r\n`, [400], 0],
  ['a whole address', `GET http://127.0.0.1${path} HTTP/1.1\r\n${host}\r\n`, [200], 1],
  ['a whole address of another host', `GET http://127.0.0.1${path} HTTP/1.1\r\nHost: evil.example\r\n\r\n`, [403], 0],
  ['a plea to be a proxy', `CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n`, [403], 0],
  ['a plea to be a proxy to itself', `CONNECT 127.0.0.1:1 HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n`, [400], 0],
  ['a star', `OPTIONS * HTTP/1.1\r\n${host}\r\n`, [400], 0],
  ['a trace', `TRACE ${path} HTTP/1.1\r\n${host}\r\n`, [405], 0],
  ['a method in small letters', `get ${path} HTTP/1.1\r\n${host}\r\n`, [], 0],
  ['HTTP/0.9', `GET ${path}\r\n\r\n`, [505], 0],
  ['HTTP/1.0 without a host', `GET ${path} HTTP/1.0\r\n\r\n`, [400], 0],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [400], 0],
  ['a switch to HTTP/2', `GET ${path} HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n`, [200], 1],
  [
    'a switch to a web socket',
    `GET /v1/nope HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n`,
    [404],
    0,
  ],
  ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', [400], 0],
  ['anything', 'abcdefgh\r\n\r\n', [400], 0],
  ['a header of 100 KB', `GET ${path} HTTP/1.1\r\n${host}X-A: ${'a'.repeat(100_000)}\r\n\r\n`, [431], 0],
  ['headers without end', `GET ${path} HTTP/1.1\r\n${host}${'X-A: b\r\n'.repeat(3_000)}`, [431], 0],
  ['a target of 100 KB', `GET /${'a'.repeat(100_000)} HTTP/1.1\r\n${host}\r\n`, [431], 0],
  ['an expectation', post('Expect: 100-continue\r\nContent-Length: 16\r\n'), [200], 1],
  ['a body to a GET', `GET ${path} HTTP/1.1\r\n${host}Content-Length: ${hidden.length}\r\n\r\n${hidden}`, [200], 1],
]

describe('a connection with', () => {
  test.each(cases)('%s gets the expected status and number of searches', async (_name, bytes, statuses, searches) => {
    const before = executor.calls.length
    const connection = await rawConnection(server.url)
    connection.send(bytes)
    expect(statusesOf(await connection.replies(statuses.length || 1))).toEqual([...statuses])
    // Whatever was hidden in it would have been answered by the time that another is.
    expect((await fetch(`${server.url}/v1/models`)).status).toBe(200)
    connection.socket.destroy()
    expect(executor.calls.length - before).toBe(searches)
  })

  test('several requests at once is answered, or cut by Bun where the first takes long', async () => {
    const before = executor.calls.length
    const connection = await rawConnection(server.url)
    connection.send(hidden.repeat(4))
    const statuses = statusesOf(await connection.replies(4))
    connection.socket.destroy()
    expect(statuses.filter((status) => status !== 200)).toEqual([])
    expect(executor.calls.length - before).toBeLessThanOrEqual(4)
    expect((await fetch(`${server.url}/v1/models`)).status).toBe(200)
  })

  test.each([
    ['of many chunks', 'Transfer-Encoding: chunked\r\n', `8000\r\n${'a'.repeat(32_768)}\r\n`],
    ['of a length that it tells', 'Content-Length: 99999999999\r\n', 'a'.repeat(32_768)],
  ])('a body %s that never ends is refused with a message and cut off', async (_, header, piece) => {
    const connection = await rawConnection(server.url)
    connection.send(post(header, ''))
    const pump = (error?: Error | null): void => {
      if (!error) setImmediate(() => connection.socket.write(piece, pump))
    }
    pump()
    await connection.closed
    const reply = connection.received()
    expect(statusesOf(reply)).toEqual([413])
    expect(reply).toContain('larger than 1048576 bytes')
  })
})

test('slow connections are cut off while a long search may go on, and no other caller waits for them', async () => {
  const dripping = new Set<Timer>()
  const open = async (first: string, drop = ''): Promise<RawConnection> => {
    const connection = await rawConnection(server.url)
    connection.send(first)
    if (drop) dripping.add(setInterval(() => connection.socket.destroyed || connection.send(drop), 500))
    return connection
  }
  const half = `GET ${path} HTTP/1.1\r\n${host}`
  const used = await open(hidden)
  expect(statusesOf(await used.replies(1))).toEqual([200])
  used.send(half)
  const before = executor.calls.length
  const slow = await Promise.all([
    open(''),
    open(half),
    open(half, 'X-A: b\r\n'),
    open(`${half}X-A: `, 'a'),
    open(post('Content-Length: 1000\r\n')),
    open(post('Content-Length: 1000\r\n', ''), 'a'),
    open(post('Transfer-Encoding: chunked\r\n', ''), '1\r\na\r\n'),
    // Finished, and then silent: the time that its search had must not stay with it.
    used,
  ])
  const whole = fetch(`${server.url}/v1/search?q=slow`)
  const streamed = fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'slow' }] }),
  })
  expect((await fetch(`${server.url}${path}`)).status).toBe(200)
  await Promise.all(slow.map(({ closed }) => closed))
  for (const drip of dripping) clearInterval(drip)
  // The three that were whole; they have outlived all that were silent.
  expect(executor.calls.length - before).toBe(3)
  release.resolve()
  expect((await whole).status).toBe(200)
  expect(await (await streamed).text()).toEndWith('data: [DONE]\n\n')
})

test('2,000 idle connections do not keep a new caller from being served', async () => {
  const connections = await Promise.all(Array.from({ length: 2_000 }, () => rawConnection(server.url)))
  const replies = await Promise.all(Array.from({ length: 50 }, () => fetch(`${server.url}${path}`)))
  expect(replies.map(({ status }) => status)).toEqual(Array(50).fill(200))
  for (const { socket } of connections) socket.destroy()
  expect((await fetch(`${server.url}${path}`)).status).toBe(200)
})
