import { expect, jest, spyOn, test } from 'bun:test'
import { collect } from '../../../../src/domain/answer.ts'
import { SearchError } from '../../../../src/domain/error.ts'
import type { SearchRequest } from '../../../../src/domain/search.ts'
import { composed } from '../../../../src/executor/answer/composed.ts'
import type { Executor } from '../../../../src/executor/executor.ts'
import { Breaker } from '../../../../src/executor/layers/resilience/breaker.ts'
import { gated, observed } from '../../../../src/executor/layers/resilience/circuit-breaking.ts'
import { createBackendStack } from '../../../../src/executor/layers/stack.ts'
import { failureOf } from '../../../support/failure-of.ts'
import { fakeExecutor, requestFor } from '../../../support/fake-executor.ts'

const done = {
  type: 'done',
  reason: 'stop',
  usage: { searches: 0, inputTokens: 1, outputTokens: 1 },
  model: 'writer-1',
} as const
const live = () => ({ signal: new AbortController().signal })

function writer(failure?: SearchError) {
  return fakeExecutor(async function* () {
    if (failure) throw failure
    yield { type: 'text-delta', text: 'Written.' }
    yield done
  })
}

const lister = () => Object.assign(fakeExecutor(), { supports: ({ want }: SearchRequest) => want === 'results' })

const inService = (breaker: Breaker, backend: Executor) => createBackendStack(backend, { breaker, timeoutMs: 0 })

test('the writer is not called while a usage limit lasts, and excerpts are served at once', async () => {
  const limited = writer(new SearchError('rate-limited', 'Over.', { retryAfterSeconds: 3600 }))
  const executor = composed(lister(), { writers: [inService(new Breaker({ name: 'claude' }), limited)] })
  for (let times = 0; times < 3; times++) {
    const { text } = await collect(executor.search(requestFor('seals', { want: 'answer' }), live()))
    expect(text).toStartWith('No model could write')
  }
  expect(limited.requests).toHaveLength(1)
})

test("a limit found by a backend's own searches also stops its writing, and the other way round", async () => {
  const breaker = new Breaker({ name: 'claude' })
  const request = requestFor('seals', { want: 'answer' })
  breaker.begin(request)(new SearchError('rate-limited', 'Over.', { retryAfterSeconds: 60 }))
  const unasked = writer()
  const failure = await failureOf(collect(inService(breaker, unasked).search(request, live())))
  expect([failure.code, unasked.requests.length]).toEqual(['rate-limited', 0])

  const other = new Breaker({ name: 'claude' })
  const limited = writer(new SearchError('rate-limited', 'Over.', { retryAfterSeconds: 60 }))
  await failureOf(collect(inService(other, limited).search(request, live())))
  expect(() => other.enter(request)).toThrow('Over.')
})

test('the writer writes as usual when the breaker is closed', async () => {
  const answer = await collect(inService(new Breaker({ name: 'claude' }), writer()).search(requestFor('seals'), live()))
  expect(answer.text).toBe('Written.')
})

test('health keeps the last failure until a search succeeds, whatever the backend itself says', async () => {
  let failure: SearchError | undefined = new SearchError('ungrounded', 'No page.')
  const backend = fakeExecutor(async function* () {
    if (failure) throw failure
    yield done
  })
  const breaker = new Breaker({ name: 'claude' })
  const executor = gated(breaker)(observed(breaker)(backend))
  const search = () => collect(executor.search(requestFor('seals'), live()))
  const state = async () => {
    const [first] = (await executor.health()).backends
    return [first?.lastSearchFailed, first?.lastError?.message]
  }
  expect(await state()).toEqual([undefined, undefined])
  await failureOf(search())
  expect(await state()).toEqual([true, 'No page.'])
  failure = new SearchError('invalid-request', 'Not like this.')
  await failureOf(search())
  expect(await state()).toEqual([true, 'No page.'])
  failure = undefined
  await search()
  expect(await state()).toEqual([false, undefined])
})

test('a reached limit is reported as reached, although the backend last reported it as allowed', async () => {
  const end = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
  const windows = [
    { window: 'five_hour', status: 'allowed', utilization: 0.9, resetsAt: end(1) },
    { window: 'seven_day', status: 'allowed', utilization: 0.5, resetsAt: end(50) },
  ]
  const backend = { name: 'claude', ready: true, rateLimit: { status: 'allowed', window: 'five_hour', windows } }
  const breaker = new Breaker({ name: 'claude' })
  const executor = gated(breaker)({ ...fakeExecutor(), health: async () => ({ ready: true, backends: [backend] }) })
  breaker.begin(requestFor('seals'))(new SearchError('rate-limited', 'Over.', { retryAfterSeconds: 3600 }))
  const [found] = (await executor.health()).backends
  expect(found?.rateLimit).toMatchObject({
    status: 'rejected',
    window: 'five_hour',
    windows: [
      { window: 'five_hour', status: 'rejected' },
      { window: 'seven_day', status: 'allowed' },
    ],
  })
})

test('an open breaker makes the backend not ready, with its reason unless the backend has one, and nothing is prepared', async () => {
  const prepared = { release() {} }
  for (const [failures, problem] of [
    [4, undefined],
    [5, undefined],
    [5, 'It is signed out.'],
  ] as const) {
    const breaker = new Breaker({ name: 'claude' })
    for (let count = 0; count < failures; count++)
      breaker.begin(requestFor('seals'))(new SearchError('unavailable', 'It is down.'))
    const isOpen = failures === 5
    const prepare = jest.fn(async () => prepared)
    const backend = { name: 'claude', ready: true, problem }
    const inner = { ...fakeExecutor(), prepare, health: async () => ({ ready: true, backends: [backend] }) }
    const executor = gated(breaker)(inner)
    const { ready, backends } = await executor.health()
    expect([ready, backends[0]?.ready]).toEqual([!isOpen, !isOpen])
    expect(backends[0]?.problem).toBe(problem ?? (isOpen ? 'It is down.' : undefined))
    const preparing = executor.prepare?.(requestFor('seals'), live()) ?? Promise.reject()
    if (isOpen) expect((await failureOf(preparing)).code).toBe('unavailable')
    else expect(await preparing).toBe(prepared)
    expect(prepare).toHaveBeenCalledTimes(Number(!isOpen))
  }
  const broken = { ready: false, backends: [{ name: 'claude', ready: false }] }
  const health = await gated(new Breaker({ name: 'claude' }))({
    ...fakeExecutor(),
    health: async () => broken,
  }).health()
  expect([health.ready, health.backends[0]?.ready]).toEqual([false, false])
  const simple = gated(new Breaker({ name: 'claude' }))(fakeExecutor())
  expect(await simple.prepare?.(requestFor('seals'), live())).toMatchObject({ release: expect.any(Function) })
})

test('a search whose caller has left does not pass the breaker', async () => {
  const breaker = new Breaker({ name: 'claude' })
  const enter = spyOn(breaker, 'enter')
  const search = gated(breaker)(fakeExecutor()).search(requestFor('seals'), { signal: AbortSignal.abort() })
  expect((await failureOf(collect(search))).code).toBe('cancelled')
  expect(enter).not.toHaveBeenCalled()
})
