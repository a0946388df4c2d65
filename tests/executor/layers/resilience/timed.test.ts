import { expect, test } from 'bun:test'
import { timed } from '../../../../src/executor/layers/resilience/timed.ts'

test('counts the time in which an item is waited for, and not what is done with it', async () => {
  let running = 0
  const seen: number[] = []
  async function* items() {
    for (const item of [1, 2]) {
      seen.push(running)
      yield item
    }
    seen.push(running)
    throw new Error('over')
  }
  const counted = timed(items(), () => {
    running++
    return () => running--
  })
  const read = async () => {
    for await (const _ of counted) seen.push(-running)
  }
  await expect(read()).rejects.toThrow('over')
  expect({ seen, running }).toEqual({ seen: [1, -0, 1, -0, 1], running: 0 })
})

test('is left where its reader leaves', async () => {
  let isLeft = false
  async function* items() {
    try {
      yield 1
    } finally {
      await Bun.sleep(0)
      isLeft = true
    }
  }
  for await (const _ of timed(items(), () => () => {})) break
  expect(isLeft).toBeTrue()
})

test('can be left where its items cannot', async () => {
  const items = { [Symbol.asyncIterator]: () => ({ next: async () => ({ done: false, value: 1 }) as const }) }
  const iterator = timed(items, () => () => {})[Symbol.asyncIterator]()
  expect(await iterator.return?.()).toEqual({ done: true, value: undefined })
})
