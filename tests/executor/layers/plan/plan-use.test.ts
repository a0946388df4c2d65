import { describe, expect, test } from 'bun:test'
import { endOf, PlanUse } from '../../../../src/executor/layers/plan/plan-use.ts'

const start = Date.parse('2026-11-20T10:00:00Z')
const at = (minutes: number) => new Date(start + minutes * 60_000).toISOString()
const fiveHours = (utilization: number, resetsAt = at(60)) => ({ window: 'five_hour', utilization, resetsAt })
const report = (utilization: number, resetsAt?: string) => ({
  status: 'allowed',
  windows: [fiveHours(utilization, resetsAt)],
})

function setUp() {
  const clock = { ms: start }
  const use = new PlanUse(() => clock.ms)
  const search = (times: number) => {
    for (let count = 0; count < times; count++) use.begin(1)()
  }
  const expected = (unknownCost = 0) => use.expected(use.windows[0] ?? {}, unknownCost)
  return { clock, use, search, expected }
}

describe('what is probably used', () => {
  test('is what was reported, and what searches since then have cost before', () => {
    const { use, search, expected } = setUp()
    use.read(report(0.1))
    search(10)
    expect(expected()).toBeCloseTo(0.1)
    use.read(report(0.15))
    search(2)
    expect(expected()).toBeCloseTo(0.16)
  })

  test('follows the last reports by three parts in ten', () => {
    const { use, search, expected } = setUp()
    use.read(report(0.1))
    search(10)
    use.read(report(0.2))
    search(10)
    use.read(report(0.2))
    search(10)
    // 0.01 each at first, then nothing: 0.007.
    expect(expected()).toBeCloseTo(0.27)
  })

  test('counts the searches since the last report alone', () => {
    const { use, search, expected } = setUp()
    use.read(report(0.1))
    search(10)
    use.read(report(0.2))
    search(10)
    use.read(report(0.25))
    search(10)
    // 0.01 each at first, then 0.005: 0.0085.
    expect(expected()).toBeCloseTo(0.335, 6)
  })

  test('of a window that was not reported is what is said of it', () => {
    const { use, search } = setUp()
    search(3)
    expect(use.expected({ window: 'seven_day', utilization: 0.4 }, 0.01)).toBe(0.4)
  })

  test('is never less than nothing, nor more than two points for a search', () => {
    const { use, search, expected } = setUp()
    use.read(report(0.1))
    search(1)
    use.read(report(0.9))
    search(1)
    expect(expected()).toBeCloseTo(0.92)
  })

  test('is at most a point together for searches that no report has shown', () => {
    const { use, search, expected } = setUp()
    use.read(report(0.1))
    search(1)
    expect(expected(0.01)).toBeCloseTo(0.11)
    search(3)
    expect(expected(0.01)).toBeCloseTo(0.14)
    use.read(report(0.1))
    search(4)
    expect(expected(0.01)).toBeCloseTo(0.11)
  })

  test('begins anew in a new window, where what a search costs stays known', () => {
    const { clock, use, search, expected } = setUp()
    use.read(report(0.1))
    search(10)
    use.read(report(0.2))
    search(5)
    clock.ms += 3_700_000
    expect(use.windows).toEqual([])
    use.read(report(0, at(300)))
    search(2)
    expect(expected()).toBeCloseTo(0.02)
  })
})

describe('the windows', () => {
  test('of a reading are all there are, those of a call may lack some', () => {
    const { use } = setUp()
    const week = { window: 'seven_day', utilization: 0.5, resetsAt: at(600) }
    use.read({ status: 'allowed', windows: [fiveHours(0.1), week] })
    use.note({ status: 'allowed', ...fiveHours(0.3) })
    expect(use.windows.map(({ window, utilization }) => [window, utilization])).toEqual([
      ['seven_day', 0.5],
      ['five_hour', 0.3],
    ])
    use.read(report(0.2))
    expect(use.windows).toEqual([fiveHours(0.2)])
  })

  test('of a call are those that it lists, and the one that it names', () => {
    const week = { window: 'seven_day', utilization: 0.5, resetsAt: at(600) }
    const after = (limit: object) => {
      const { use } = setUp()
      use.note({ status: 'allowed', ...limit })
      return use.windows.map(({ window, utilization }) => [window, utilization])
    }
    expect(after({})).toEqual([])
    expect(after({ window: 'five_hour', utilization: 0.3, windows: [week] })).toEqual([
      ['seven_day', 0.5],
      ['five_hour', 0.3],
    ])
    expect(after({ window: 'five_hour', resetsAt: at(60), windows: [fiveHours(0.3), week] })).toEqual([
      ['five_hour', 0.3],
      ['seven_day', 0.5],
    ])
  })

  test('are over at the moment of their end', () => {
    const { clock, use } = setUp()
    use.read(report(0.1))
    clock.ms = start + 3_599_999
    expect(use.windows).toHaveLength(1)
    clock.ms++
    expect(use.windows).toEqual([])
  })

  test('are twenty at most, whatever is reported', () => {
    const { use } = setUp()
    for (let count = 0; count < 30; count++) use.note({ status: 'allowed', window: `w${count}`, utilization: 0.1 })
    expect(use.windows.map(({ window }) => window)).toEqual(Array.from({ length: 20 }, (_, index) => `w${index + 10}`))
  })

  test('end when they say, otherwise soon', () => {
    expect(endOf({ resetsAt: at(5) }, start)).toBe(start + 300_000)
    for (const resetsAt of [at(0), at(-1), 'no date', undefined])
      expect(endOf({ resetsAt }, start)).toBe(start + 300_000)
    expect(endOf({ resetsAt: at(7) }, start)).toBe(start + 420_000)
  })
})

describe('a search beyond the plan', () => {
  test.each([
    [{ status: 'allowed' }, false],
    [{ status: 'rejected' }, false],
    [{ status: 'rejected', overage: { inUse: false, status: 'allowed' } }, true],
    [{ status: 'rejected', overage: { inUse: false, status: 'allowed_warning' } }, true],
    [{ status: 'rejected', overage: { inUse: false, status: 'rejected' } }, false],
    [{ status: 'allowed', overage: { inUse: false, status: 'allowed' } }, false],
    [{ status: 'allowed', overage: { inUse: true } }, true],
  ])('is paid after %j: %p', (limit, isPaid) => {
    const { clock, use } = setUp()
    use.note({ ...limit, ...fiveHours(1) })
    expect(use.paid !== undefined).toBe(isPaid)
    use.read(report(1))
    expect(use.paid !== undefined).toBe(isPaid)
    clock.ms = start + 3_600_000
    expect(use.paid).toBeUndefined()
    use.note({ ...limit, ...fiveHours(1) })
    use.read(report(0.9))
    expect(use.paid).toBeUndefined()
  })
})

test('searches run until they have ended, once', () => {
  const { use } = setUp()
  expect([use.isUnused, use.limit, use.readAt]).toEqual([true, undefined, 0])
  const [end] = [use.begin(2), use.begin(1)]
  expect([use.isUnused, use.running]).toEqual([false, 2])
  end()
  end()
  expect(use.running).toBe(1)
})

test('the use of the plan has the state of its tightest window, else of the plan, and what was said of extra usage', () => {
  const { use } = setUp()
  const overage = { inUse: false, status: 'allowed' }
  use.note({ status: 'rejected', overage })
  expect(use.limit).toEqual({ status: 'rejected', windows: [], overage })
  use.read({ status: 'allowed', windows: [{ ...fiveHours(0.9), status: 'allowed_warning' }] })
  expect(use.limit).toMatchObject({ status: 'allowed_warning', utilization: 0.9, overage })
})
