import { expect, test } from 'bun:test'
import { Credit, FrameBatcher } from '../../../src/tunnel/home/flow-control.ts'
import { maxChunkBytes } from '../../../src/tunnel/protocol.ts'

test('adding more than a frame holds waits until it has been sent', async () => {
  const gate = Promise.withResolvers<void>()
  const order: string[] = []
  const batcher = new FrameBatcher(async () => {
    order.push('sending')
    await gate.promise
    order.push('sent')
  })
  const small = new Uint8Array(8 * 1024)
  const adds = Array.from({ length: maxChunkBytes / small.byteLength }, () => batcher.add(small))
  const last = adds.pop()?.then(() => order.push('taken'))
  await Promise.all(adds)
  expect(order).toEqual([])
  gate.resolve()
  await last
  expect(order).toEqual(['sending', 'sent', 'taken'])
})

test('a chunk of 16 KiB is sent at once, and smaller ones in one frame a turn later, in their order', async () => {
  const sent: number[][] = []
  const batcher = new FrameBatcher(async (bytes) => {
    sent.push([bytes.byteLength, bytes[0] ?? 0])
  })
  const chunk = (length: number, mark: number) => batcher.add(new Uint8Array(length).fill(mark))
  await chunk(16_384, 1)
  expect(sent).toEqual([[16_384, 1]])
  await chunk(16_383, 2)
  await chunk(16_384, 3)
  expect(sent).toHaveLength(1)
  await batcher.end()
  expect(sent.slice(1)).toEqual([[32_767, 2]])
})

test('credit is taken up to what there is, and none for a request that was aborted', async () => {
  const credit = new Credit(10)
  const { signal } = new AbortController()
  expect([await credit.take(4, signal), await credit.take(9, signal)]).toEqual([4, 6])
  const later = credit.take(3, signal)
  credit.add(5)
  expect([await later, await credit.take(0, AbortSignal.abort()), await credit.take(1, AbortSignal.abort())]).toEqual([
    ...[3, 0, 0],
  ])
  expect(await credit.take(9, signal)).toBe(2)
  const gone = new AbortController()
  const waiting = credit.take(1, gone.signal)
  gone.abort()
  expect(await waiting).toBe(0)
})
