import { expect, test } from 'bun:test'
import { collect } from '../../src/domain/answer.ts'
import { cached } from '../../src/executor/layers/cache/cached.ts'
import { type KvNamespace, kv } from '../../src/storage/kv.ts'
import { openStore } from '../../src/storage/store.ts'
import { keyOf } from '../contract/store.ts'
import { fakeExecutor, requestFor } from '../support/fake-executor.ts'

// How the driver bears what KV refuses. That it is a store is shown on the real KV, in tests/edge/contracts.test.ts.

interface FakeKv extends KvNamespace {
  /** The lifetimes of all writes that were tried; -1 for one without. */
  readonly writes: readonly number[]
  /** What the next write fails with. */
  failure: string | undefined
}

function fakeKv(): FakeKv {
  const entries = new Map<string, string>()
  const writes: number[] = []
  const namespace: FakeKv = {
    writes,
    failure: undefined,
    get: async (key) => entries.get(key) ?? null,
    async put(key, value, { expirationTtl } = {}) {
      writes.push(expirationTtl ?? -1)
      if (namespace.failure) throw new Error(namespace.failure)
      entries.set(key, value)
    },
    delete: async (key) => void entries.delete(key),
    list: async () => ({ keys: [...entries.keys()].map((name) => ({ name })), list_complete: true }),
  }
  return namespace
}

test('the KV store rounds a lifetime to whole seconds, 60 at least', async () => {
  const namespace = fakeKv()
  const store = openStore(kv({ namespace }))
  for (const ttl of [0.5, 59, 60.01, 3600]) await store.set(keyOf('a'), 1, { ttl })
  await store.set(keyOf('a'), 1)
  expect(namespace.writes).toEqual([60, 60, 61, 3600, -1])
})

test('the KV store pauses writes for a minute after too many, and reads go on', async () => {
  const namespace = fakeKv()
  let now = 0
  const store = openStore(kv({ namespace, now: () => now }))
  await store.set(keyOf('kept'), 1)
  namespace.failure = 'KV PUT failed: 429 Too Many Requests'
  await expect(store.set(keyOf('a'), 1)).rejects.toThrow('429')
  namespace.failure = undefined
  now = 59_999
  await expect(store.set(keyOf('a'), 1)).rejects.toThrow('1970-01-01T00:01:00')
  expect(await store.get<number>(keyOf('kept'))).toBe(1)
  expect(namespace.writes.length).toBe(2)
  now = 60_000
  await store.set(keyOf('a'), 1)
  expect(await store.get<number>(keyOf('a'))).toBe(1)
})

test('the KV store pauses writes until the end of the day when the day has none left', async () => {
  const namespace = fakeKv()
  let now = Date.UTC(2026, 6, 30, 9)
  const store = openStore(kv({ namespace, now: () => now }))
  namespace.failure = 'KV put() limit exceeded for the day.'
  await expect(store.set(keyOf('a'), 1)).rejects.toThrow('for the day')
  namespace.failure = undefined
  now = Date.UTC(2026, 6, 30, 23, 59)
  await expect(store.set(keyOf('a'), 1)).rejects.toThrow('2026-07-31T00:00:00')
  now = Date.UTC(2026, 6, 31)
  await store.set(keyOf('a'), 1)
  expect(namespace.writes.length).toBe(2)
})

test('the KV store does not pause writes after another failure', async () => {
  const namespace = fakeKv()
  const store = openStore(kv({ namespace }))
  namespace.failure = 'KV PUT failed: 500 Internal Server Error'
  await expect(store.set(keyOf('a'), 1)).rejects.toThrow('500')
  namespace.failure = undefined
  await store.set(keyOf('a'), 1)
})

test('a refused write of the KV store does not fail the search', async () => {
  const namespace = fakeKv()
  namespace.failure = 'KV PUT failed: 429 Too Many Requests'
  const executor = cached({ storage: openStore(kv({ namespace })), ttlSeconds: 60 })(fakeExecutor())
  const answer = await collect(executor.search(requestFor('q'), { signal: new AbortController().signal }))
  expect(answer.searches.length).toBe(1)
  await executor.close()
  expect((await executor.health()).cache?.problem).toContain('429')
})
