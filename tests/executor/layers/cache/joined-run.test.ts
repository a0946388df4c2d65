import { expect, test } from 'bun:test'
import { collect } from '../../../../src/domain/answer.ts'
import { SearchError } from '../../../../src/domain/error.ts'
import type { SearchEvent } from '../../../../src/domain/search.ts'
import { cached } from '../../../../src/executor/layers/cache/cached.ts'
import { queued } from '../../../../src/executor/layers/resilience/queued.ts'
import { failureOf } from '../../../support/failure-of.ts'
import { fakeExecutor, requestFor } from '../../../support/fake-executor.ts'

const { signal } = new AbortController()
const done: SearchEvent = {
  type: 'done',
  reason: 'stop',
  usage: { searches: 1, inputTokens: 1, outputTokens: 1 },
  model: 'm',
}

test('a rejection of the caller who began a shared search is not passed on to another who waits for it', async () => {
  const refused = Promise.withResolvers<void>()
  const inner = fakeExecutor(async function* () {
    const { context } = inner.calls.at(-1) ?? {}
    if (context?.caller !== 'alice') return yield done
    await refused.promise
    throw new SearchError('rate-limited', 'The limit of the key alice is reached.', { retryAfterSeconds: 60 })
  })
  const executor = cached({ ttlSeconds: 60 })(inner)
  const search = (caller: string) => collect(executor.search(requestFor('bees'), { signal, caller }))
  const alice = failureOf(search('alice'))
  await inner.begun(1)
  const others = [search('bob'), search('carol'), search('bob')]
  const again = failureOf(search('alice'))
  await Bun.sleep(5)
  expect(inner.calls).toHaveLength(1)
  refused.resolve()
  expect((await alice).message).toContain('alice')
  expect((await again).message).toContain('alice')
  expect((await Promise.all(others)).map(({ reason }) => reason)).toEqual(['stop', 'stop', 'stop'])
  // The others share one search again.
  expect(inner.calls.map(({ context }) => context.caller)).toEqual(['alice', 'bob'])
})

test.each([
  ['busy', 0, true],
  ['rate-limited', 0, true],
  ['rate-limited', 1, false],
  ['failed', 0, false],
] as const)(
  'a failure with %s after %i events of another caller’s search is tried again in the own name: %p',
  async (code, events, isTried) => {
    const fail = Promise.withResolvers<void>()
    const begun: SearchEvent = { type: 'search-results', id: '1', results: [] }
    const inner = fakeExecutor(async function* () {
      if (inner.calls.length > 1) return yield done
      for (let count = 0; count < events; count++) yield begun
      await fail.promise
      throw new SearchError(code, 'It broke.')
    })
    const executor = cached({ ttlSeconds: 60 })(inner)
    const search = (caller: string) => collect(executor.search(requestFor('bees'), { signal, caller }))
    const alice = failureOf(search('alice'))
    await inner.begun(1)
    const bob = search('bob').then(
      () => 'answered',
      (error) => error.code,
    )
    await Bun.sleep(5)
    fail.resolve()
    expect((await alice).code).toBe(code)
    expect(await bob).toBe(isTried ? 'answered' : code)
    expect(inner.calls).toHaveLength(isTried ? 2 : 1)
  },
)

test('equal researches at the same time are made each for itself', async () => {
  const inner = fakeExecutor()
  const executor = cached({ ttlSeconds: 60 })(inner)
  const search = () => collect(executor.search(requestFor('bees'), { signal, research: {} as never }))
  await Promise.all([search(), search()])
  expect(inner.calls).toHaveLength(2)
})

test('a queue that moves fast estimates a short wait, whatever earlier searches took', async () => {
  let now = 0
  const gates: (() => void)[] = []
  const inner = fakeExecutor(async function* () {
    await new Promise<void>((resolve) => gates.push(resolve))
    yield done
  })
  const executor = queued({ concurrency: 1, capacity: 40, startsPerSecond: 0, now: () => now })(inner)
  const searches = Array.from({ length: 41 }, (_, index) =>
    collect(executor.search(requestFor(`q${index}`), { signal, caller: 'alice' })),
  )
  // Each takes long from its start, as deep answers do, but the queue gets on at half a second each.
  for (let ended = 0; ended < 6; ended++) {
    await inner.begun(ended + 1)
    now += 500
    gates[ended]?.()
    await searches[ended]
  }
  const { queue } = await executor.health()
  expect(queue?.waiting).toBe(34)
  expect(queue?.estimatedWaitSeconds).toBe(18)
  await executor.close()
  for (const open of gates) open()
  await Promise.allSettled(searches)
})
