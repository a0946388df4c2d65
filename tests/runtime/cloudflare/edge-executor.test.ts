import { expect, test } from 'bun:test'
import { createMemoryStorage } from 'ocache'
import { collect } from '../../../src/domain/answer.ts'
import type { SearchRequest } from '../../../src/domain/search.ts'
import type { Executor } from '../../../src/executor/executor.ts'
import { Budget } from '../../../src/executor/layers/metering/budget.ts'
import { edgeExecutor } from '../../../src/runtime/cloudflare/edge-executor.ts'
import { failureOf } from '../../support/failure-of.ts'
import { answers, fakeExecutor, hangs } from '../../support/fake-executor.ts'
import { memoryLedger } from '../../support/memory-ledger.ts'

const request: SearchRequest = { query: 'seals', history: [], want: 'results', effort: 'fast', filters: {} }
const { signal } = new AbortController()

function edge(backends: readonly Executor[], ttlSeconds = 60) {
  const work: Promise<unknown>[] = []
  const executor = edgeExecutor({
    ttlSeconds,
    storage: createMemoryStorage(),
    backends: backends.map((backend) => () => backend),
    meter: new Budget({ ledger: memoryLedger() }),
    background: (one) => void work.push(one),
  })
  return { executor, settled: () => Promise.all(work) }
}

test('the backends of the edge are asked in turn, and merge lists themselves where that is wanted', async () => {
  const [first, second] = [fakeExecutor(answers, 'first'), fakeExecutor(answers, 'second')]
  const { executor, settled } = edge([first, second])
  const { searches } = await collect(executor.search({ ...request, merge: 2 }, { signal }))
  expect(searches).toHaveLength(1)
  expect([first.requests, second.requests]).toMatchObject([[{ merge: 2 }], []])
  await settled()
  expect(executor.supports?.(request)).toBe(true)
})

test('a closed edge stops its searches and makes no more', async () => {
  const backend = fakeExecutor(hangs, 'first')
  const { executor } = edge([backend], 0)
  const running = failureOf(collect(executor.search(request, { signal })))
  await backend.begun()
  await executor.close()
  expect(await running).toMatchObject({ code: 'cancelled' })
  expect(await failureOf(collect(executor.search(request, { signal })))).toMatchObject({
    ...{ code: 'unavailable', message: 'This csp is closed.' },
  })
  expect(backend.requests).toHaveLength(1)
})
