import { describe, expect, spyOn, test } from 'bun:test'
import { createMemoryStorage } from 'ocache'
import { collect } from '../../../../src/domain/answer.ts'
import { AnswerCache, type AnswerCacheOptions } from '../../../../src/executor/layers/cache/answer-cache.ts'
import { cacheKey, requestKey } from '../../../../src/executor/layers/cache/request-key.ts'
import { answers, requestFor } from '../../../support/fake-executor.ts'

const answer = await collect(answers(requestFor('q')))

function setUp(options: Partial<AnswerCacheOptions> = {}) {
  const clock = { ms: Date.parse('2026-03-15T12:00:00Z') }
  const storage = createMemoryStorage()
  const [get, set] = [spyOn(storage, 'get'), spyOn(storage, 'set')]
  const cache = new AnswerCache({
    ...{ ttlSeconds: 60, oldSeconds: 30, storage, now: () => clock.ms },
    ...options,
  })
  return { cache, clock, get, set }
}

test.each([
  [59_999, 'fresh', 59],
  [60_000, 'stale', 60],
  [69_999, 'stale', 69],
  [70_000, 'old', 70],
  [89_999, 'old', 89],
  [90_000, undefined, undefined],
  [-1, undefined, undefined],
])('an answer of %i ms is %s', async (ms, freshness, ageSeconds) => {
  const { cache, clock } = setUp()
  cache.keep('key', 'results', answer, 0)
  clock.ms += ms
  const found = await cache.find('key')
  expect([found?.freshness, found?.ageSeconds]).toEqual([freshness as 'fresh', ageSeconds])
})

describe('an answer that is kept', () => {
  test.each([
    [0, 90],
    [80, 10],
    [89, 1],
    [90, undefined],
    [91, undefined],
  ])('at an age of %i s has a time of %p s in the store', async (ageSeconds, ttl) => {
    const { cache, set } = setUp()
    cache.keep('key', 'results', answer, ageSeconds)
    await cache.flush()
    expect(set.mock.calls.map(([, , options]) => options?.ttl)).toEqual(ttl === undefined ? [] : [ttl])
  })

  test('is read from the store each time where none may be kept in memory', async () => {
    const { cache, get } = setUp({ memoryBytes: 0 })
    cache.keep('key', 'results', answer, 0)
    await cache.flush()
    for (let times = 1; times <= 2; times++) {
      expect((await cache.find('key'))?.freshness).toBe('fresh')
      expect(get).toHaveBeenCalledTimes(times)
    }
  })
})

test('a request of up to 4,096 characters is its own key, a longer one has a hash', async () => {
  const rest = requestKey(requestFor('')).length
  const keyOf = (length: number) => cacheKey(requestFor('x'.repeat(length - rest)), undefined)
  expect(await keyOf(4096)).toHaveLength(4096)
  expect(await keyOf(4097)).toMatch(/^v1:[0-9a-f]{64}$/)
})
