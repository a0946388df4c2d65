import { expect, test } from 'bun:test'
import { RequestStream } from '../../../src/tunnel/edge/request-stream.ts'
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

test('a home does not get an update for every few bytes that were read', async () => {
  const { stream, reader, allowed } = await replying()
  stream.takeBytes(new Uint8Array(windowBytes / 8))
  await reader.read()
  expect(allowed()).toBe(0)
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
  stream.leave()
  expect(said).toEqual([{ type: 'abort', id: 1 }])
  expect(stream.takeBytes(new Uint8Array(8))).toBeUndefined()
  expect(stream.take({ type: 'reply', id: 1, status: 200, headers: [] })).toBeUndefined()
  expect(ends()).toBe(0)
  expect(stream.take({ type: 'end', id: 1 })).toBeUndefined()
  expect(ends()).toBe(1)
})
