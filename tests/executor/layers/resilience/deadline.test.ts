import { expect, test } from 'bun:test'
import { collect } from '../../../../src/domain/answer.ts'
import { deadline } from '../../../../src/executor/layers/resilience/deadline.ts'
import { failureOf } from '../../../support/failure-of.ts'
import { answers, fails, fakeExecutor, hangs, isSilent, requestFor } from '../../../support/fake-executor.ts'

const live = new AbortController().signal

test('the deadline stops a search that takes too long and names the option that helps', async () => {
  for (const script of [hangs, isSilent]) {
    const fake = fakeExecutor(script)
    const error = await failureOf(collect(deadline({ timeoutMs: 5 })(fake).search(requestFor('q'), { signal: live })))
    expect(error.code).toBe('timeout')
    expect(error.message).toContain('0.005 s')
    expect(error.message).toContain('--timeout')
    expect(fake.requests.length).toBe(1)
    expect(fake.running).toBe(0)
  }
})

test('the deadline aborts the inner signal with a TimeoutError', async () => {
  const reasons: unknown[] = []
  const fake = fakeExecutor(async function* (request, signal) {
    yield* hangs(request, signal)
    reasons.push(signal.reason)
  })
  await failureOf(collect(deadline({ timeoutMs: 5 })(fake).search(requestFor('q'), { signal: live })))
  expect(reasons[0]).toBeInstanceOf(DOMException)
  expect(reasons[0]).toHaveProperty('name', 'TimeoutError')
})

test('the deadline leaves a caller who leaves first the error of the abort', async () => {
  const fake = fakeExecutor(hangs)
  const controller = new AbortController()
  const failure = failureOf(
    collect(deadline({ timeoutMs: 60_000 })(fake).search(requestFor('q'), { signal: controller.signal })),
  )
  await fake.begun()
  controller.abort()
  expect((await failure).code).toBe('cancelled')
})

test('the deadline passes an earlier failure on unchanged', async () => {
  const search = deadline({ timeoutMs: 60_000 })(fakeExecutor(fails('rate-limited'))).search(requestFor('q'), {
    signal: live,
  })
  expect(await failureOf(collect(search))).toMatchObject({ code: 'rate-limited', retryAfterSeconds: 7 })
})

test('the deadline is off for 0, and a value longer than a timer holds does not fire early', async () => {
  for (const timeoutMs of [0, 2 ** 40]) {
    const fake = fakeExecutor(async function* (request) {
      await new Promise((resolve) => setTimeout(resolve, 2))
      yield* answers(request)
    })
    const answer = await collect(deadline({ timeoutMs })(fake).search(requestFor('q'), { signal: live }))
    expect(answer.searches.length).toBe(1)
  }
})

test("the deadline passes the caller's cache mode on", async () => {
  const seen: unknown[] = []
  const inner = fakeExecutor()
  const spy = {
    ...inner,
    search: (...[request, context]: Parameters<typeof inner.search>) => {
      seen.push(context.cache)
      return inner.search(request, context)
    },
  }
  await collect(deadline({ timeoutMs: 60_000 })(spy).search(requestFor('q'), { signal: live, cache: 'no-store' }))
  expect(seen).toEqual(['no-store'])
})
