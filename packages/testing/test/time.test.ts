import { describe, expect, test } from 'bun:test'
import { eventually } from '../src/eventually.ts'
import { quickTimers } from '../src/quick-timers.ts'
import { runs, sampled } from '../src/runs.ts'

describe('eventually', () => {
  test('waits until it holds', async () => {
    let asked = 0
    await eventually(async () => ++asked === 3)
    expect(asked).toBe(3)
  })

  test('says what never held', async () => {
    const isHere = () => false
    await expect(eventually(isHere, 1)).rejects.toThrow('within 1 ms')
    await expect(eventually(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  })
})

describe('quick timers', () => {
  test('run twenty times as fast, and clocks with them', async () => {
    const begun = Date.now()
    {
      using _ = quickTimers()
      const clock = performance.now()
      await new Promise((resolve) => setTimeout(resolve, 1000))
      await Bun.sleep(1000)
      expect(performance.now() - clock).toBeGreaterThan(1900)
      const { promise, resolve } = Promise.withResolvers<void>()
      AbortSignal.timeout(1000).addEventListener('abort', () => resolve())
      await promise
    }
    expect(Date.now() - begun).toBeLessThan(1500)
  })

  test('give back what they changed', () => {
    const known = () => [setTimeout, AbortSignal.timeout, Bun.sleep, performance.now]
    const before = known()
    {
      using _ = quickTimers()
      expect(known().some((own, at) => own === before[at])).toBe(false)
    }
    expect(known()).toEqual(before)
  })
})

test('a share of a table is spread over it, and is never nothing', () => {
  const rows = Array.from({ length: 100 }, (_, row) => row)
  const share = sampled(rows)
  expect(share.length).toBeGreaterThanOrEqual(1)
  expect(share.length).toBeLessThanOrEqual(100)
  expect(share.every((row, at) => at === 0 || row > (share[at - 1] ?? 0))).toBe(true)
  expect(runs(1)).toBeGreaterThanOrEqual(1)
})
