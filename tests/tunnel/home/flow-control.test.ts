import { expect, test } from 'bun:test'
import { FrameBatcher } from '../../../src/tunnel/home/flow-control.ts'
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
