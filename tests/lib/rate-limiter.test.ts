import { describe, expect, test } from 'bun:test'
import { backOffMs, jitteredMs } from '../../src/lib/back-off.ts'
import { RateLimiter, SlidingWindow } from '../../src/lib/rate-limiter.ts'

const live = new AbortController().signal

describe('a rate limiter', () => {
  test('lets the first few start at once, and the next when the window has room', () => {
    const clock = { ms: 0 }
    const limiter = new RateLimiter(2.5, () => clock.ms)
    const waits = [0, 0, 100, 800].map((ms) => {
      clock.ms = ms
      const wait = limiter.waitMs()
      if (wait === 0) limiter.note()
      return wait
    })
    expect(waits).toEqual([0, 0, 700, 0])
  })

  test('gives turns in the order of the calls, and skips a call whose signal aborts', async () => {
    const limiter = new RateLimiter(50)
    const leave = new AbortController()
    const order: string[] = []
    const take = (name: string, signal = live) =>
      limiter.turn(signal).then(
        () => order.push(name),
        () => order.push(`${name} left`),
      )
    for (let count = 0; count < 50; count++) limiter.note()
    const turns = [take('a'), take('b', leave.signal), take('c')]
    leave.abort()
    await Promise.all(turns)
    expect(order).toEqual(['a', 'b left', 'c'])
    expect(limiter.waitMs()).toBe(0)
  })

  test('without a limit never waits', async () => {
    const limiter = new RateLimiter(0)
    for (let count = 0; count < 1000; count++) await limiter.turn(live)
    expect(limiter.waitMs()).toBe(0)
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
