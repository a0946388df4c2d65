import { expect, test } from 'bun:test'
import { collect } from '../../../../src/domain/answer.ts'
import { SearchError, type SearchErrorCode } from '../../../../src/domain/error.ts'
import { apiBackend } from '../../../../src/executor/backends/http/api-backend.ts'
import { failureOf } from '../../../support/failure-of.ts'
import { answers, hangs, requestFor } from '../../../support/fake-executor.ts'

function setUp() {
  const clock = { ms: Date.parse('2026-05-20T12:00:00Z') }
  const state: { failure?: SearchError | undefined; hangs?: boolean; asked: number } = { asked: 0 }
  const executor = apiBackend({
    name: 'api',
    now: () => new Date(clock.ms),
    supports: ({ want }) => want === 'results',
    async *search(request, signal) {
      state.asked++
      if (state.failure) throw state.failure
      yield* state.hangs ? hangs(request, signal) : answers(request)
      signal.throwIfAborted()
    },
    rateLimit: () => ({ status: 'allowed' }),
  })
  const search = (want: 'results' | 'text' = 'results', signal = new AbortController().signal) =>
    collect(executor.search(requestFor('q', { want }), { signal }))
  const fail = async (code: SearchErrorCode, retryAfterSeconds?: number) => {
    state.failure = new SearchError(code, 'No.', { retryAfterSeconds, forOthers: 'Not now.' })
    expect((await failureOf(search())).code).toBe(code)
    state.failure = undefined
  }
  const health = async () => {
    const { ready, backends } = await executor.health()
    expect(ready).toBe(backends[0]?.ready as boolean)
    return backends[0]
  }
  return { clock, executor, fail, health, search, state }
}

test('a backend is ready until its key is refused or its limit is reached, and again with the next answer', async () => {
  const { clock, fail, health, search } = setUp()
  const rateLimit = { status: 'allowed' }
  expect(await health()).toEqual({ name: 'api', ready: true, rateLimit })
  await fail('unavailable')
  const at = new Date(clock.ms).toISOString()
  const lastError = { code: 'unavailable', message: 'Not now.', at } as const
  expect(await health()).toEqual({ name: 'api', ready: true, rateLimit, lastError })
  await fail('invalid-request')
  expect((await health())?.lastError).toEqual(lastError)
  await fail('signed-out')
  clock.ms += 365 * 86_400_000
  expect(await health()).toMatchObject({ ready: false, problem: 'Not now.', lastError: { code: 'signed-out' } })
  await search()
  expect(await health()).toMatchObject({ ready: true, problem: undefined, lastError: { code: 'signed-out' } })
})

test.each([
  [undefined, 60_000],
  [7, 7000],
])('a limit of %p s is over in %i ms', async (seconds, ms) => {
  const { clock, fail, health } = setUp()
  await fail('rate-limited', seconds)
  clock.ms += ms - 1
  expect((await health())?.ready).toBe(false)
  clock.ms += 1
  expect((await health())?.ready).toBe(true)
})

test('a backend is asked only for what it can do, and only while it is open and its caller is there', async () => {
  const { executor, health, search, state } = setUp()
  expect(await failureOf(search('text'))).toMatchObject({
    ...{ code: 'invalid-request', message: 'The backend api does not support this request.' },
  })
  expect((await failureOf(search('results', AbortSignal.abort()))).code).toBe('cancelled')
  expect(state.asked).toBe(0)
  state.hangs = true
  const leave = new AbortController()
  const [left, closed] = [failureOf(search('results', leave.signal)), failureOf(search())]
  leave.abort()
  expect((await left).code).toBe('cancelled')
  await executor.close()
  expect(await closed).toMatchObject({ code: 'unavailable', message: 'csp is shutting down.' })
  expect((await failureOf(search())).message).toBe('csp is shutting down.')
  expect(state.asked).toBe(2)
  expect((await health())?.lastError).toBeUndefined()
})

test('whatever a search throws whose caller has left, it was cancelled, and says nothing of the backend', async () => {
  const caller = new AbortController()
  const executor = apiBackend({
    ...{ name: 'api', now: () => new Date(), supports: () => true },
    async *search() {
      yield* []
      caller.abort()
      throw new TypeError('The socket is closed.')
    },
  })
  const search = executor.search(requestFor('q'), { signal: caller.signal })
  expect((await failureOf(collect(search))).code).toBe('cancelled')
  expect((await executor.health()).backends).toEqual([{ name: 'api', ready: true }])
})
