import { expect, test } from 'bun:test'
import { Lane } from '../../../../src/executor/layers/resilience/lane.ts'

/** A lane in which a search ends at each of these times, while so many wait. */
function lane(ends: readonly number[], waiting = 1) {
  const clock = { ms: 0 }
  const it = new Lane(2, () => clock.ms)
  for (const ms of ends) {
    clock.ms = ms
    it.begin()(waiting)
  }
  return it
}

test('a queue moves at the pace of its last searches, as soon as four have ended while others waited', () => {
  expect(lane([10_000, 11_000, 13_000, 16_000]).expectedSeconds(3)).toBeCloseTo(6)
  // Fewer, or with an empty queue: from the average, which moves from ten seconds to none by a fifth each time.
  expect(lane([10_000, 11_000, 13_000]).expectedSeconds(3)).toBeCloseTo((3 * 10 * 0.8 ** 3) / 2)
  expect(lane([10_000, 11_000, 13_000, 16_000], 0).expectedSeconds(3)).toBeCloseTo((3 * 10 * 0.8 ** 4) / 2)
})

test('the pace is that of the last twenty searches', () => {
  const slow = [0, 100_000, 200_000]
  const quick = Array.from({ length: 20 }, (_, at) => 1_000_000 + at * 1000)
  expect(lane([...slow, ...quick]).expectedSeconds(5)).toBeCloseTo(5)
  expect(lane([...slow, ...quick.slice(1)]).expectedSeconds(5)).toBeGreaterThan(100)
})
