import { expect, test } from 'bun:test'
import { collect } from '../../../../src/domain/answer.ts'
import { SearchError, type SearchErrorCode } from '../../../../src/domain/error.ts'
import type { Executor, SearchTrace } from '../../../../src/executor/executor.ts'
import { type RetriedOptions, retried } from '../../../../src/executor/layers/resilience/retried.ts'
import { failureOf } from '../../../support/failure-of.ts'
import { answers, fakeExecutor, requestFor, type Script } from '../../../support/fake-executor.ts'

const live = new AbortController().signal

test('a retry repeats a failure that may pass, and the caller sees one search', async () => {
  const { fake, executor, pauses } = setUp(failing(2, 'unavailable'))
  const answer = await ask(executor)
  expect(answer.searches).toHaveLength(1)
  expect(fake.requests).toHaveLength(3)
  expect(pauses).toHaveLength(2)
})

test('a retry tries twice more and then gives up with the last error', async () => {
  const { fake, executor } = setUp(failing(3, 'unavailable'))
  expect(await failureOf(ask(executor))).toMatchObject({ code: 'unavailable', message: 'Failure 3.' })
  expect(fake.requests).toHaveLength(3)
})

test('a retry tries as often as configured', async () => {
  const { fake, executor } = setUp(failing(2, 'unavailable'), { retries: 1 })
  await failureOf(ask(executor))
  expect(fake.requests).toHaveLength(2)
})

test('a retry waits longer each time, and never twice the same time', async () => {
  const waited = await Promise.all(
    Array.from({ length: 200 }, async () => {
      const { executor, pauses } = setUp(failing(2, 'unavailable'))
      await ask(executor)
      return pauses
    }),
  )
  const mean = (index: number) => waited.reduce((sum, pauses) => sum + (pauses[index] ?? 0), 0) / waited.length
  expect(mean(1)).toBeGreaterThan(mean(0))
  expect(new Set(waited.flat()).size).toBeGreaterThan(300)
  expect(Math.max(...waited.flat())).toBeLessThanOrEqual(2000)
})

const once: readonly (readonly [SearchErrorCode, number | undefined])[] = [
  ['invalid-request', undefined],
  ['signed-out', undefined],
  ['ungrounded', undefined],
  ['timeout', undefined],
  ['failed', undefined],
  ['busy', 1],
  ['rate-limited', undefined],
  ['rate-limited', 3],
  ['unavailable', 30],
]
test.each(once)('a retry does not follow %s with a wait of %p s', async (code, retryAfterSeconds) => {
  const { fake, executor } = setUp(failing(1, code, retryAfterSeconds))
  expect((await failureOf(ask(executor))).code).toBe(code)
  expect(fake.requests).toHaveLength(1)
})

test('a retry waits as long as a short limit says', async () => {
  const { executor, pauses } = setUp(failing(1, 'rate-limited', 2))
  await ask(executor)
  expect(pauses).toEqual([2000])
})

test('a retry does not follow once rows have been sent', async () => {
  const { fake, executor } = setUp(async function* (request) {
    for await (const event of answers(request)) {
      if (event.type === 'done') throw new SearchError('unavailable', 'Broken.')
      yield event
    }
  })
  expect((await failureOf(ask(executor))).code).toBe('unavailable')
  expect(fake.requests).toHaveLength(1)
})

test('a retry does not begin without time to finish', async () => {
  const clock = { ms: 0 }
  const slow: Script = async function* () {
    yield* []
    clock.ms += 4000
    throw new SearchError('unavailable', 'Slow to fail.')
  }
  const { fake, executor } = setUp(slow, { giveUpAfterMs: 7000, now: () => clock.ms })
  await failureOf(ask(executor))
  expect(fake.requests).toHaveLength(2)
})

test('a retry that would begin too late is not waited for', async () => {
  const { fake, executor, pauses } = setUp(failing(1, 'rate-limited', 2), { giveUpAfterMs: 1999, now: () => 0 })
  expect((await failureOf(ask(executor))).code).toBe('rate-limited')
  expect(fake.requests).toHaveLength(1)
  expect(pauses).toEqual([])
})

test('a retry may begin at the last moment, counted from the first try', async () => {
  const { executor, pauses } = setUp(failing(1, 'rate-limited', 2), { giveUpAfterMs: 2000, now: () => 50_000 })
  await ask(executor)
  expect(pauses).toEqual([2000])
})

test('a retry is noted, with its number and the time until it begins', async () => {
  const { executor } = setUp(failing(2, 'rate-limited', 2))
  const notes: string[] = []
  const trace = { note: (message: string) => notes.push(message) } as unknown as SearchTrace
  await collect(executor.search(requestFor('q'), { signal: live, trace }))
  expect(notes).toEqual(['fake: try 1 failed, try 2 begins in 2.0 s', 'fake: try 2 failed, try 3 begins in 2.0 s'])
})

test('a retry waits two seconds at most of its own accord', async () => {
  const { executor, pauses } = setUp(failing(12, 'unavailable'), { retries: 12 })
  await ask(executor)
  expect(Math.max(...pauses)).toBeLessThanOrEqual(2000)
})

test('a retry does not begin for a caller that has left meanwhile', async () => {
  const leave = new AbortController()
  let tries = 0
  const inner: Executor = {
    ...fakeExecutor(),
    async *search() {
      tries++
      yield* []
      throw new SearchError('unavailable', 'It is down.')
    },
  }
  const executor = retried({ pause: async () => leave.abort() })(inner)
  const failure = await failureOf(collect(executor.search(requestFor('q'), { signal: leave.signal })))
  expect([failure.code, tries]).toEqual(['cancelled', 1])
})

test('a retry lets a caller leave at once between two tries', async () => {
  const fake = fakeExecutor(failing(9, 'unavailable', 2))
  const leave = new AbortController()
  const failure = failureOf(collect(retried()(fake).search(requestFor('q'), { signal: leave.signal })))
  while (fake.requests.length === 0 || fake.running > 0) await new Promise((resolve) => setImmediate(resolve))
  leave.abort()
  expect((await failure).code).toBe('cancelled')
  expect(fake.requests).toHaveLength(1)
})

test('a retry does not begin after close()', async () => {
  const fake = fakeExecutor(async function* () {
    yield* []
    void executor.close()
    throw new SearchError('unavailable', 'Closing.')
  })
  const pauses: number[] = []
  const executor: Executor = retried({ pause: async (ms) => void pauses.push(ms) })(fake)
  expect(await failureOf(ask(executor))).toMatchObject({ message: 'Closing.' })
  expect(fake.requests).toHaveLength(1)
  expect(pauses).toEqual([])
})

function setUp(script: Script, options: RetriedOptions = {}) {
  const fake = fakeExecutor(script)
  const pauses: number[] = []
  const pause = async (ms: number) => void pauses.push(ms)
  return { fake, pauses, executor: retried({ pause, ...options })(fake) }
}

/** Fails so often after a promising start, then answers. */
function failing(times: number, code: SearchErrorCode, retryAfterSeconds?: number): Script {
  let failures = 0
  return async function* (request) {
    if (failures++ < times) {
      yield { type: 'search-start', id: 'one', query: request.query }
      throw new SearchError(code, `Failure ${failures}.`, { retryAfterSeconds })
    }
    yield* answers(request)
  }
}

function ask(executor: Executor) {
  return collect(executor.search(requestFor('q'), { signal: live }))
}
