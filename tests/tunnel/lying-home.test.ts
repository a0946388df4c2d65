import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eventually } from '@csp/testing/eventually'
import { closeCodes, maxChunkBytes, packData, windowBytes } from '../../src/tunnel/protocol.ts'
import { type Edge, startEdge } from './support/edge.ts'
import { accepted, type RawHome, rawHome, replying } from './support/raw-home.ts'

let edge: Edge
beforeAll(async () => {
  edge = await startEdge()
})
afterAll(() => edge.dispose())

/** Asks the connected home, past all checks of requests. */
function ask(): Promise<Response> {
  return fetch(`${edge.url}/raw/anything`, { method: 'POST', body: 'question' })
}

type Lie = (home: RawHome) => Promise<void>

const beforeTheReply: readonly (readonly [string, Lie])[] = [
  [
    'a frame of no known type',
    async (home) => home.send(JSON.stringify({ type: 'dance', id: (await accepted(home)).id })),
  ],
  ['text that is no JSON', (home) => accepted(home).then(() => home.send('{"type":'))],
  ['a frame without an end', (home) => accepted(home).then(() => home.send(`"${'x'.repeat(70_000)}"`))],
  ['word of another request', async (home) => home.send({ type: 'end', id: ((await accepted(home)).id + 1) >>> 0 })],
  [
    'bytes of another request',
    async (home) => home.send(packData({ id: ((await accepted(home)).id + 1) >>> 0, bytes: new Uint8Array(9) })),
  ],
  [
    'bytes before a reply',
    async (home) => home.send(packData({ id: (await accepted(home)).id, bytes: new Uint8Array(9) })),
  ],
  ['a data frame without data', (home) => accepted(home).then(() => home.send(new Uint8Array(4)))],
  ['an end without a reply', async (home) => home.send({ type: 'end', id: (await accepted(home)).id })],
  ['two acceptances', async (home) => home.send({ type: 'accept', id: (await accepted(home)).id })],
  ['a refusal of what it took', async (home) => home.send({ type: 'busy', id: (await accepted(home)).id })],
  [
    'a status that is none',
    async (home) => home.send({ type: 'reply', id: (await accepted(home)).id, status: 99, headers: [] }),
  ],
  [
    'too many headers',
    async (home) => {
      const headers = Array.from({ length: 101 }, (_, index): [string, string] => [`x-csp-${index}`, 'value'])
      home.send({ type: 'reply', id: (await accepted(home)).id, status: 200, headers })
    },
  ],
  [
    'a header that breaks its line',
    async (home) =>
      home.send({
        type: 'reply',
        id: (await accepted(home)).id,
        status: 200,
        headers: [['x-csp-a\r\nset-cookie', 'b']],
      }),
  ],
]

test.each(beforeTheReply)(
  'a home that sends %s is disconnected, and the caller gets an error that home is lost',
  async (_, lie) => {
    using home = await rawHome(edge.url, 'liar')
    const reply = ask()
    await lie(home)
    expect(await home.next('bye')).toMatchObject({ code: closeCodes.protocol })
    expect((await reply).status).toBe(503)
    expect(await (await reply).json()).toMatchObject({ type: 'error', code: 'unavailable' })
    await eventually(async () => (await edge.status()).homes.length === 0)
  },
)

const afterTheReply: readonly (readonly [string, Lie])[] = [
  [
    'two replies',
    async (home) => home.send({ type: 'reply', id: (await replying(home)).id, status: 200, headers: [] }),
  ],
  [
    'a data frame that is too large',
    async (home) => home.send(packData({ id: (await replying(home)).id, bytes: new Uint8Array(maxChunkBytes + 1) })),
  ],
  [
    'more than it was allowed',
    async (home) => {
      const { id } = await replying(home)
      // Some of it may be read and allowed again meanwhile: ten windows at once are too many in any case.
      const bytes = new Uint8Array(maxChunkBytes)
      for (let sent = 0; sent <= 10 * windowBytes; sent += bytes.byteLength) home.send(packData({ id, bytes }))
    },
  ],
]

test.each(afterTheReply)('a home that sends %s is disconnected, and the reply breaks off', async (_, lie) => {
  using home = await rawHome(edge.url, 'liar')
  const reply = ask()
  await lie(home)
  expect(await home.next('bye')).toMatchObject({ code: closeCodes.protocol })
  expect(await (await reply).text()).toEndWith('BROKEN')
  await eventually(async () => (await edge.status()).homes.length === 0)
})

test('a home that sends frames after the end of a request is disconnected', async () => {
  using home = await rawHome(edge.url, 'liar')
  const reply = ask()
  const { id } = await replying(home)
  home.send({ type: 'end', id })
  expect(await (await reply).text()).toBe('')
  home.send(packData({ id, bytes: new Uint8Array(9) }))
  expect(await home.next('bye')).toMatchObject({ code: closeCodes.protocol })
  await eventually(async () => (await edge.status()).homes.length === 0)
})

test('frames about a request that was abandoned are skipped until its end', async () => {
  using home = await rawHome(edge.url, 'slow')
  const leaving = new AbortController()
  const gone = fetch(`${edge.url}/raw/anything`, { signal: leaving.signal }).catch(() => 'gone')
  const { id } = await accepted(home)
  leaving.abort()
  expect(await gone).toBe('gone')
  expect((await home.next('abort')).id).toBe(id)
  home.send({ type: 'reply', id, status: 200, headers: [] })
  home.send(packData({ id, bytes: new Uint8Array(9) }))
  expect((await edge.status()).homes).toMatchObject([{ name: 'slow', running: 1 }])
  home.send({ type: 'error', id, message: 'aborted' })
  await eventually(async () => (await edge.status()).homes[0]?.running === 0)
  home.close()
  await eventually(async () => (await edge.status()).homes.length === 0)
})

test('only the headers that a reply needs reach the caller', async () => {
  using home = await rawHome(edge.url, 'liar')
  const reply = ask()
  const { id } = await accepted(home)
  home.send({
    type: 'reply',
    id,
    status: 201,
    headers: [
      ['content-type', 'text/plain'],
      ['retry-after', '7'],
      ['set-cookie', 'a=b'],
      ['location', 'https://elsewhere.example'],
      ['access-control-allow-origin', '*'],
      ['content-length', '1'],
    ],
  })
  home.send({ type: 'end', id })
  const { status, headers } = await reply
  expect(status).toBe(201)
  expect(headers.get('retry-after')).toBe('7')
  for (const name of ['set-cookie', 'location', 'access-control-allow-origin']) expect(headers.has(name)).toBe(false)
  home.close()
  await eventually(async () => (await edge.status()).homes.length === 0)
})

test('a home that accepts no request is skipped until it sends something again', async () => {
  using frozen = await rawHome(edge.url, 'frozen')
  using lively = await rawHome(edge.url, 'lively')
  const first = ask()
  const missed = await frozen.next('request')
  lively.send({ type: 'end', id: (await replying(lively)).id })
  expect((await first).status).toBe(200)
  expect((await frozen.next('abort')).id).toBe(missed.id)
  expect((await edge.status()).homes).toMatchObject([
    { name: 'frozen', silent: true },
    { name: 'lively', silent: false },
  ])
  const second = ask()
  lively.send({ type: 'end', id: (await replying(lively)).id })
  expect((await second).status).toBe(200)

  frozen.send({ type: 'accept', id: missed.id })
  frozen.send({ type: 'error', id: missed.id, message: 'aborted' })
  await eventually(async () => (await edge.status()).homes[0]?.silent === false)
  const third = ask()
  frozen.send({ type: 'end', id: (await replying(frozen)).id })
  expect((await third).status).toBe(200)
  frozen.close()
  lively.close()
})
