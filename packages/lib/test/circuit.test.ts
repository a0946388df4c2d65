import { describe, expect, test } from 'bun:test'
import { backOffMs, jitteredMs } from '../src/back-off.ts'
import { Circuit, type CircuitChange } from '../src/circuit.ts'

describe('a circuit', () => {
  function setUp() {
    const clock = { ms: 0 }
    const changes: CircuitChange<string>['to'][] = []
    const circuit = new Circuit<string>({ now: () => clock.ms, onChange: ({ to }) => changes.push(to) })
    const fail = (times: number, ms?: number) => {
      for (let count = 0; count < times; count++) circuit.begin().failed(`failure ${count + 1}`, ms)
    }
    return { clock, changes, circuit, fail }
  }

  test('opens at the fifth failure in a row, for 10 s', () => {
    const { clock, changes, circuit, fail } = setUp()
    fail(4)
    circuit.begin().answered()
    fail(4)
    expect([circuit.refusal, circuit.failures]).toEqual([undefined, 4])
    fail(1)
    expect(circuit.refusal).toEqual({ failure: 'failure 1', failures: 5, msLeft: 10_000 })
    clock.ms = 9999
    expect(circuit.refusal?.msLeft).toBe(1)
    clock.ms = 10_000
    expect(circuit.refusal).toBeUndefined()
    expect(circuit.opened).toMatchObject({ msLeft: 0 })
    expect(changes).toEqual(['open'])
  })

  test('lets one try when that time is over, and is closed by its answer', () => {
    const { clock, changes, circuit, fail } = setUp()
    fail(5)
    clock.ms = 10_000
    const leave = circuit.enter()
    expect(circuit.refusal?.msLeft).toBe(0)
    leave()
    expect(circuit.refusal).toBeUndefined()
    const again = circuit.enter()
    leave()
    expect(circuit.refusal).toBeDefined()
    circuit.begin().answered()
    again()
    expect([circuit.opened, circuit.failures]).toEqual([undefined, 0])
    expect(changes).toEqual(['open', 'half-open', 'half-open', 'closed'])
    circuit.enter()()
    circuit.close()
    expect(changes).toHaveLength(4)
  })

  test('stays open twice as long each time, up to five minutes, or as long as it is told', () => {
    const { clock, circuit, fail } = setUp()
    fail(5)
    for (const ms of [20_000, 40_000, 80_000, 160_000, 300_000, 300_000]) {
      clock.ms += circuit.refusal?.msLeft ?? 0
      fail(1)
      expect(circuit.refusal?.msLeft).toBe(ms)
    }
    clock.ms += 300_000
    fail(1, 7)
    expect(circuit.refusal?.msLeft).toBe(7)
    circuit.close()
    fail(5)
    expect(circuit.refusal?.msLeft).toBe(10_000)
  })

  test('learns nothing from what began before it opened', () => {
    const { circuit, fail } = setUp()
    const [before, another] = [circuit.begin(), circuit.begin()]
    fail(5)
    before.answered()
    another.failed('late')
    expect(circuit.opened).toMatchObject({ failure: 'failure 5', failures: 5, msLeft: 10_000 })
  })
})

test('waits double up to a bound, and jitter takes any part of them', () => {
  const backOff = { firstMs: 250, maxMs: 2000 }
  expect([0, 1, 2, 3, 4].map((failures) => backOffMs(failures, backOff))).toEqual([250, 500, 1000, 2000, 2000])
  expect([0, 0.5, 1].map((part) => jitteredMs(1, backOff, () => part))).toEqual([0, 250, 500])
})
