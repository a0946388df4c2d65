import { expect, test } from 'bun:test'
import { Semaphore } from '../src/semaphore.ts'

const never = new AbortController().signal

/** Takes a place, and returns the function that gives it back. */
async function take(places: Semaphore, caller?: string): Promise<() => void> {
  const place = await places.take(never, caller)
  if (typeof place !== 'function') throw new Error(`There was no place, but ${place}.`)
  return place
}

test('places are given in the order in which they are asked for', async () => {
  const places = new Semaphore(1)
  const leave = await take(places)
  const order: string[] = []
  const waiting = ['first', 'second'].map(async (name) => {
    const leaveAgain = await take(places)
    order.push(name)
    leaveAgain()
  })
  expect([places.taken, places.waiting]).toEqual([1, 2])
  leave()
  await Promise.all(waiting)
  expect(order).toEqual(['first', 'second'])
  expect([places.taken, places.waiting]).toEqual([0, 0])
})

test('a place that is handed over is not taken by one who comes meanwhile', async () => {
  const places = new Semaphore(1)
  const leave = await take(places)
  const second = take(places)
  leave()
  const third = take(places)
  expect([places.taken, places.waiting]).toEqual([1, 1])
  ;(await second)()
  ;(await third)()
  expect(places.taken).toBe(0)
})

test('a place that is given back twice is free once', async () => {
  const places = new Semaphore(2)
  const leave = await take(places)
  await take(places)
  leave()
  leave()
  expect(places.taken).toBe(1)
})

test('a caller who aborts gets no place, and leaves none taken', async () => {
  const places = new Semaphore(1)
  const leave = await take(places)
  const caller = new AbortController()
  const waiting = places.take(caller.signal)
  caller.abort()
  expect(await waiting).toBeUndefined()
  expect(await places.take(caller.signal)).toBeUndefined()
  expect(places.waiting).toBe(0)
  leave()
  expect(places.taken).toBe(0)
})

test('callers take turns, however many each has waiting', async () => {
  const places = new Semaphore(1)
  const leave = await take(places, 'a')
  const order: string[] = []
  const waiting = ['a1', 'a2', 'a3', 'b1', 'c1', 'c2'].map(async (name) => {
    const leaveAgain = await take(places, name.slice(0, 1))
    order.push(name)
    leaveAgain()
  })
  leave()
  await Promise.all(waiting)
  expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3'])
})

test('when too many wait, the last of the caller with the most has to go', async () => {
  const places = new Semaphore(1, 3)
  const leave = await take(places)
  const waiting = ['a', 'a', 'a'].map((caller) => places.take(never, caller))
  const other = places.take(never, 'b')
  expect(await waiting[2]).toBe('full')
  expect(await places.take(never, 'a')).toBe('full')
  expect(places.waiting).toBe(3)
  leave()
  for (const place of [waiting[0], other, waiting[1]]) {
    const back = await place
    if (typeof back === 'function') back()
  }
  expect([places.taken, places.waiting]).toEqual([0, 0])
})
