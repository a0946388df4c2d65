import { expect, test } from 'bun:test'
import { Places } from '../../src/lib/places.ts'

const never = new AbortController().signal

test('places are given in the order in which they are asked for', async () => {
  const places = new Places(1)
  const leave = await places.take(never)
  const order: string[] = []
  const waiting = ['first', 'second'].map(async (name) => {
    const leaveAgain = await places.take(never)
    order.push(name)
    leaveAgain?.()
  })
  expect([places.taken, places.waiting]).toEqual([1, 2])
  leave?.()
  await Promise.all(waiting)
  expect(order).toEqual(['first', 'second'])
  expect([places.taken, places.waiting]).toEqual([0, 0])
})

test('a place that is handed over is not taken by one who comes meanwhile', async () => {
  const places = new Places(1)
  const leave = await places.take(never)
  const second = places.take(never)
  leave?.()
  const third = places.take(never)
  expect([places.taken, places.waiting]).toEqual([1, 1])
  ;(await second)?.()
  ;(await third)?.()
  expect(places.taken).toBe(0)
})

test('a place that is given back twice is free once', async () => {
  const places = new Places(2)
  const leave = await places.take(never)
  await places.take(never)
  leave?.()
  leave?.()
  expect(places.taken).toBe(1)
})

test('a caller who aborts gets no place, and leaves none taken', async () => {
  const places = new Places(1)
  const leave = await places.take(never)
  const caller = new AbortController()
  const waiting = places.take(caller.signal)
  caller.abort()
  expect(await waiting).toBeUndefined()
  expect(await places.take(caller.signal)).toBeUndefined()
  expect(places.waiting).toBe(0)
  leave?.()
  expect(places.taken).toBe(0)
})
