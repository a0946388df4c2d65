import { expect, test } from 'bun:test'
import { createMemoryStorage } from 'ocache'
import { collect } from '../../../../src/domain/answer.ts'
import { Budget } from '../../../../src/executor/layers/metering/budget.ts'
import { createStack } from '../../../../src/executor/layers/stack.ts'
import { fakeExecutor, requestFor } from '../../../support/fake-executor.ts'
import { memoryLedger } from '../../../support/memory-ledger.ts'

test.each([
  ['all', 1],
  ['key', 2],
] as const)(
  'with the scope %s two keys with the same question make %d searches, pages included',
  async (scope, searches) => {
    const far = fakeExecutor()
    const stack = createStack([far], {
      cache: { storage: createMemoryStorage(), ttlSeconds: 60, scope },
      paging: { ttlSeconds: 60, scope },
      meter: new Budget({ ledger: memoryLedger() }),
    })
    const ask = (caller: string, offset?: number) =>
      collect(stack.search(requestFor('bees', { limit: 1, offset }), { caller, signal: new AbortController().signal }))
    for (const caller of ['phone', 'laptop', 'phone']) await ask(caller)
    expect(far.requests).toHaveLength(searches)
    for (const caller of ['phone', 'laptop']) await ask(caller, 1)
    expect(far.requests).toHaveLength(searches)
  },
)

test('with the scope key two keys that ask at the same time do not share a search', async () => {
  const far = fakeExecutor()
  const cache = { storage: createMemoryStorage(), ttlSeconds: 60, scope: 'key' } as const
  const stack = createStack([far], { cache })
  const ask = (caller: string) =>
    collect(stack.search(requestFor('bees'), { caller, signal: new AbortController().signal }))
  await Promise.all(['phone', 'laptop', 'phone'].map(ask))
  expect(far.requests).toHaveLength(2)
})
