import { expect, jest, spyOn, test } from 'bun:test'
import { collect } from '../../../../src/domain/answer.ts'
import { guarded } from '../../../../src/executor/layers/plan/guarded.ts'
import { PlanGuard } from '../../../../src/executor/layers/plan/plan-guard.ts'
import { failureOf } from '../../../support/failure-of.ts'
import { requestFor } from '../../../support/fake-executor.ts'
import { answered, scriptedExecutor } from '../../../support/scripted-executor.ts'

const now = Date.parse('2026-11-22T10:00:00Z')
const list = requestFor('q', { want: 'results' })
const signal = new AbortController().signal

/** An executor behind a guard whose plan is used to this part. */
function behind(utilization: number, problem?: string) {
  const guard = new PlanGuard({
    ...{ reserve: 0.1, planOnly: true, modelsOf: () => ['haiku'], ask: async () => undefined, now: () => now },
  })
  const window = { window: 'five_hour', utilization, resetsAt: '2026-11-22T12:00:00.000Z' }
  guard.note({ status: 'allowed', ...window })
  const backend = { name: 'claude', ready: problem === undefined, problem }
  const inner = scriptedExecutor(answered, { ready: backend.ready, backends: [backend] })
  return { guard, inner, executor: guarded(guard)(inner) }
}

test('a plan with room lets a search through, which counts until it has ended', async () => {
  const { executor, inner } = behind(0.5)
  expect((await collect(executor.search(list, { signal }))).searches).toHaveLength(1)
  expect(inner.calls).toHaveLength(1)
  const { ready, backends } = await executor.health()
  expect({ ready, backends }).toMatchObject({ ready: true, backends: [{ ready: true, problem: undefined }] })
  expect(backends[0]?.rateLimit).toMatchObject({ utilization: 0.5 })
  expect(backends[0]?.plan).toMatchObject({ reserve: 0.1, paused: undefined })
})

test('a plan that is kept refuses the search and says so in the health, with the reason', async () => {
  const { executor, inner } = behind(0.95)
  expect((await failureOf(collect(executor.search(list, { signal })))).code).toBe('rate-limited')
  expect(inner.calls).toHaveLength(0)
  const { ready, backends } = await executor.health()
  expect([ready, backends[0]?.ready]).toEqual([false, false])
  expect(backends[0]?.problem).toContain('95%')
})

test('a plan that has room for lists alone is ready', async () => {
  const { executor } = behind(0.86)
  expect((await executor.health()).ready).toBe(true)
  expect((await executor.health()).backends[0]?.plan?.paused?.kinds).toEqual(['deep', 'answers'])
})

test('a backend that is not ready says its own reason', async () => {
  const { ready, backends } = await behind(0.95, 'It is signed out.').executor.health()
  expect([ready, backends[0]?.problem]).toEqual([false, 'It is signed out.'])
  expect((await behind(0.1, 'It is signed out.').executor.health()).ready).toBe(false)
})

test('a search whose caller has left is not admitted', async () => {
  const { executor, guard, inner } = behind(0.5)
  const admit = spyOn(guard, 'admit')
  expect(await failureOf(collect(executor.search(list, { signal: AbortSignal.abort() })))).toMatchObject({
    code: 'cancelled',
  })
  expect(admit).not.toHaveBeenCalled()
  expect(inner.calls).toHaveLength(0)
})

test('a writer is prepared where the plan has room for its answer', async () => {
  const prepared = { release() {} }
  for (const [used, isAdmitted] of [
    [0.5, true],
    [0.95, false],
  ] as const) {
    const { inner, guard } = behind(used)
    const prepare = jest.fn(async () => prepared)
    const executor = guarded(guard)({ ...inner, prepare })
    const preparing = executor.prepare?.(list, { signal }) ?? Promise.reject()
    if (isAdmitted) expect(await preparing).toBe(prepared)
    else expect((await failureOf(preparing)).code).toBe('rate-limited')
    expect(prepare).toHaveBeenCalledTimes(Number(isAdmitted))
  }
  const { executor } = behind(0.5)
  expect(await executor.prepare?.(list, { signal })).toMatchObject({ release: expect.any(Function) })
})
