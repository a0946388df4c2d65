import { expect, test } from 'bun:test'
import { RequestStream, type StreamFrame } from '../../../src/tunnel/edge/request-stream.ts'
import { type ToHome, windowBytes } from '../../../src/tunnel/protocol.ts'

/** A stream whose reply has begun, and what the edge has said to its home. */
async function replying() {
  const said: ToHome[] = []
  let ends = 0
  const stream = new RequestStream(
    1,
    (frame) => said.push(frame),
    () => ends++,
  )
  stream.take({ type: 'accept', id: 1 })
  stream.take({ type: 'reply', id: 1, status: 200, headers: [] })
  const body = (await stream.reply.promise).body
  if (!body) throw new Error('The reply has no body.')
  const allowed = () => said.reduce((sum, frame) => sum + (frame.type === 'window' ? frame.bytes : 0), 0)
  return { stream, reader: body.getReader(), allowed, said, ends: () => ends }
}

test('a home may send more as its bytes are read, so that a reply of any length passes', async () => {
  const { stream, reader, allowed } = await replying()
  for (let sent = windowBytes; sent <= 8 * windowBytes; sent += windowBytes) {
    expect(stream.takeBytes(new Uint8Array(windowBytes))).toBeUndefined()
    await reader.read()
    expect(allowed()).toBe(sent)
  }
})

test('a home may not send more while its reply is not read', async () => {
  const { stream, allowed } = await replying()
  stream.takeBytes(new Uint8Array(windowBytes))
  expect(allowed()).toBe(0)
  expect(stream.takeBytes(new Uint8Array(1))).toBe('more bytes than the window allows')
})

test('a home gets an update for a quarter of its window', async () => {
  const { stream, reader, allowed } = await replying()
  stream.takeBytes(new Uint8Array(windowBytes / 4))
  await reader.read()
  expect(allowed()).toBe(windowBytes / 4)
})

test('a home does not get an update for every few bytes that were read', async () => {
  const { stream, reader, allowed } = await replying()
  stream.takeBytes(new Uint8Array(windowBytes / 8))
  await reader.read()
  expect(allowed()).toBe(0)
})

test('a home may send more when its client reads, also where nothing comes after', async () => {
  const { stream, reader, allowed } = await replying()
  for (let part = 0; part < 4; part++) stream.takeBytes(new Uint8Array(windowBytes / 4))
  await reader.read()
  await reader.read()
  expect(allowed()).toBe(windowBytes / 2)
})

test('a reply that nobody reads takes less than a megabyte of the edge', async () => {
  const { stream } = await replying()
  let bytes = 0
  while (stream.takeBytes(new Uint8Array(1024)) === undefined) bytes += 1024
  expect(bytes).toBeWithin(64 * 1024, 1024 * 1024)
})

test('a home is told once that its client has gone, and what it still sends is no fault of it', async () => {
  const { stream, reader, said, ends } = await replying()
  await reader.cancel()
  expect(said).toEqual([{ type: 'abort', id: 1 }])
  stream.leave()
  expect(said).toHaveLength(1)
  expect(stream.takeBytes(new Uint8Array(8))).toBeUndefined()
  expect(stream.take({ type: 'reply', id: 1, status: 200, headers: [] })).toBeUndefined()
  expect(ends()).toBe(0)
  expect(stream.take({ type: 'end', id: 1 })).toBeUndefined()
  expect(ends()).toBe(1)
})

type Name = StreamFrame['type']
const frames: { readonly [Kind in Name]: Extract<StreamFrame, { type: Kind }> } = {
  accept: { type: 'accept', id: 1 },
  busy: { type: 'busy', id: 1 },
  reply: { type: 'reply', id: 1, status: 200, headers: [] },
  end: { type: 'end', id: 1 },
  error: { type: 'error', id: 1, message: 'It broke.' },
}

/** What a home may send after what it has sent. All else breaks the protocol. */
const allowed: readonly (readonly [readonly Name[], readonly Name[]])[] = [
  [[], ['accept', 'busy', 'error']],
  [['accept'], ['reply', 'error']],
  [
    ['accept', 'reply'],
    ['end', 'error'],
  ],
]

test.each(
  allowed.flatMap(([before, next]) => Object.keys(frames).map((name) => [before, name as Name, next] as const)),
)('a home that has sent %j sends %s, where %j may come', (before, name, next) => {
  let ends = 0
  const stream = new RequestStream(
    1,
    () => {},
    () => ends++,
  )
  for (const sent of before) expect(stream.take(frames[sent])).toBeUndefined()
  const problem = stream.take(frames[name])
  expect(problem === undefined).toBe(next.includes(name))
  expect(ends).toBe(problem === undefined && ['busy', 'end', 'error'].includes(name) ? 1 : 0)
})

test.each(['busy', 'end', 'error'] as const)('a request whose client has gone is over with %s', (name) => {
  let ends = 0
  const stream = new RequestStream(
    1,
    () => {},
    () => ends++,
  )
  stream.leave()
  expect(stream.accepted.promise).rejects.toMatchObject({ reason: 'silent' })
  expect([stream.take(frames.accept), stream.take(frames.reply), ends]).toEqual([undefined, undefined, 0])
  expect([stream.take(frames[name]), ends]).toEqual([undefined, 1])
})

test('the failure of a home reaches what waits for it: its acceptance, its reply, its body', async () => {
  const stream = new RequestStream(
    1,
    () => {},
    () => {},
  )
  stream.take(frames.error)
  expect(stream.accepted.promise).rejects.toThrow('It broke.')
  expect(stream.reply.promise).rejects.toThrow('It broke.')
  const { stream: begun, reader } = await replying()
  begun.take(frames.error)
  expect(reader.read()).rejects.toThrow('It broke.')
})

test.each([
  [200, true],
  [204, false],
  [205, false],
  [304, false],
  [404, true],
])('a reply of status %i has a body: %p', async (status, hasBody) => {
  const stream = new RequestStream(
    1,
    () => {},
    () => {},
  )
  stream.take(frames.accept)
  const headers = [['content-type', 'text/plain'] as const, ['set-cookie', 'a=b'] as const]
  stream.take({ ...frames.reply, status, headers: headers.map(([name, value]) => [name, value]) })
  const reply = await stream.reply.promise
  expect([reply.status, reply.body !== null, reply.headers.get('set-cookie')]).toEqual([status, hasBody, null])
})
