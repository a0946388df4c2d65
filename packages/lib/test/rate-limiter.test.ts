import { describe, expect, test } from 'bun:test'
import { quickTimers } from '@csp/testing/quick-timers'
import { backOffMs, jitteredMs } from '../src/back-off.ts'
import { SlidingWindow, Starter, startsPerSecond, TokenBucket } from '../src/rate-limiter.ts'

const live = new AbortController().signal

describe('a limit of starts in a second', () => {
  test('lets the first few start at once, and the next when the window has room', () => {
    const clock = { ms: 0 }
    const limiter = startsPerSecond(2.5, () => clock.ms)
    const waits = [0, 0, 100, 800].map((ms) => {
      clock.ms = ms
      const wait = limiter.waitMs()
      if (wait === 0) limiter.take()
      return wait
    })
    expect(waits).toEqual([0, 0, 700, 0])
  })

  test('gives turns in the order of the calls, and skips a call whose signal aborts', async () => {
    using _ = quickTimers()
    const limiter = startsPerSecond(50)
    const starter = new Starter(limiter)
    const leave = new AbortController()
    const order: string[] = []
    const take = (name: string, signal = live) =>
      starter.start(signal).then(
        () => order.push(name),
        () => order.push(`${name} left`),
      )
    for (let count = 0; count < 50; count++) limiter.take()
    const turns = [take('a'), take('b', leave.signal), take('c')]
    leave.abort()
    await Promise.all(turns)
    expect(order).toEqual(['b left', 'a', 'c'])
    expect(limiter.waitMs()).toBe(0)
  })
})

describe('a token bucket', () => {
  test('lets a burst start at once, then goes by the average, and fills up in a pause, no higher than before', () => {
    const clock = { ms: 0 }
    const bucket = new TokenBucket(2, 3, () => clock.ms)
    const startedAt = (ms: number): number => {
      clock.ms = ms
      let started = 0
      for (; bucket.waitMs() === 0; started++) bucket.take()
      return started
    }
    expect([0, 400, 500, 1999, 2000, 60_000].map(startedAt)).toEqual([3, 0, 1, 2, 1, 3])
    expect(bucket.waitMs(4)).toBe(2000)
  })

  test('has room for one start at least, whatever its rate', () => {
    const clock = { ms: 0 }
    const bucket = new TokenBucket(0.1, 0.5, () => clock.ms)
    expect(bucket.waitMs()).toBe(0)
    bucket.take()
    expect(bucket.waitMs()).toBe(10_000)
  })

  test('does not wait again for the rest of a token that rounding left', () => {
    const clock = { ms: 0 }
    const bucket = new TokenBucket(3, 1, () => clock.ms)
    for (let count = 0; count < 1000; count++) {
      bucket.take()
      clock.ms += bucket.waitMs()
      expect(bucket.waitMs()).toBe(0)
    }
  })

  test('without a limit never waits', () => {
    const bucket = new TokenBucket(0, 0, () => 0)
    for (let count = 0; count < 100; count++) bucket.take()
    expect(bucket.waitMs(1000)).toBe(0)
  })
})

test('a sliding window forgets what began before it, and counts a corrected entry as corrected', () => {
  const clock = { ms: 0 }
  const window = new SlidingWindow(1000, () => clock.ms)
  const correct = window.add()
  correct(3)
  clock.ms = 400
  window.add()
  expect([window.used(), window.freeInMs(4), window.freeInMs(1), window.freeInMs(5)]).toEqual([4, 600, 1000, 0])
  clock.ms = 1000
  expect(window.used()).toBe(1)
})

test('a back-off doubles up to its maximum, and jitter only shortens it', () => {
  const waits = { firstMs: 250, maxMs: 2000 }
  expect([0, 1, 2, 3, 4, 5000].map((failures) => backOffMs(failures, waits))).toEqual([
    250, 500, 1000, 2000, 2000, 2000,
  ])
  expect(jitteredMs(1, waits, () => 0.5)).toBe(250)
})
