import { expect, test } from 'bun:test'
import { SearchError } from '../../../../src/domain/error.ts'
import { limitReached, UsageLimits } from '../../../../src/executor/layers/resilience/usage-limits.ts'

const limitOf = (retryAfterSeconds: number, message = 'Over.') =>
  new SearchError('rate-limited', message, { retryAfterSeconds })

function setUp() {
  const clock = { ms: 0, wall: Date.parse('2026-03-15T12:00:00Z') }
  const limits = new UsageLimits(
    () => clock.ms,
    () => clock.wall,
  )
  return { clock, limits }
}

test('of two limits of the same name the one counts that ends later, else the first', () => {
  const { limits } = setUp()
  limits.note('opus', limitOf(60, 'First.'))
  for (const seconds of [60, 59]) limits.note('opus', limitOf(seconds, 'Second.'))
  expect(limits.find('opus')).toMatchObject({ msLeft: 60_000, failure: { message: 'First.' } })
  limits.note('opus', limitOf(61, 'Third.'))
  expect(limits.find('opus')).toMatchObject({ msLeft: 61_000, failure: { message: 'Third.' } })
})

test.each(['ms', 'wall'] as const)('a limit is over when one of the two clocks says so: %s', (which) => {
  const { clock, limits } = setUp()
  limits.note('opus', limitOf(60))
  clock[which] += 59_999
  expect(limits.msLeft('opus')).toBe(1)
  clock[which] += 1
  expect(limits.msLeft('opus')).toBe(0)
  expect(limits.find('opus')).toBeUndefined()
})

test('a hundred limits are kept, those that were noted last', () => {
  const { limits } = setUp()
  const kept = () => Array.from({ length: 101 }, (_, at) => `m${at}`).filter((name) => limits.find(name))
  for (let at = 0; at < 100; at++) limits.note(`m${at}`, limitOf(60))
  expect(kept()).toHaveLength(100)
  limits.note('m0', limitOf(70))
  limits.note('m100', limitOf(60))
  expect(kept()).toHaveLength(100)
  expect(kept()).not.toContain('m1')
})

test('a limit that is over takes no place', () => {
  const { clock, limits } = setUp()
  limits.note('long', limitOf(600))
  limits.note('short', limitOf(1))
  clock.ms += 2000
  expect(limits.find('short')).toBeUndefined()
  for (let at = 0; at < 99; at++) limits.note(`m${at}`, limitOf(60))
  expect(limits.find('long')).toBeDefined()
})

test('the window whose limit is reached is the one that ends within ten minutes of it', () => {
  const end = '2026-03-15T12:00:00.000Z'
  const window = (resetsAt: string) => ({ window: 'five_hour', status: 'allowed', resetsAt })
  const near = window('2026-03-15T12:09:59.999Z')
  const far = window('2026-03-15T12:10:00.000Z')
  expect(limitReached(near, end)).toEqual({ window: 'five_hour', status: 'rejected', resetsAt: end })
  expect(limitReached(far, end)).toEqual({
    ...{ status: 'rejected', resetsAt: end },
    windows: [{ status: 'rejected', resetsAt: end }, far],
  })
  expect(limitReached(undefined, end)).toEqual({ status: 'rejected', resetsAt: end })
})
