import { expect, test } from 'bun:test'
import { createMemoryStorage, type StorageInterface } from 'ocache'
import { tiered } from '../../src/storage/tiered.ts'

/** A store that notes what it is asked. */
function watched(): StorageInterface & { readonly asked: readonly string[] } {
  const inner = createMemoryStorage()
  const asked: string[] = []
  return {
    asked,
    get: (key) => {
      asked.push(`get ${key}`)
      return inner.get(key)
    },
    set: (key, value, options) => {
      asked.push(`set ${key} ${options?.ttl}`)
      return inner.set(key, value, options)
    },
  }
}

test('a value that is set is in the near store and in the far store', async () => {
  const far = watched()
  const store = tiered(createMemoryStorage(), far)
  await store.set('a', 1, { ttl: 3600 })
  expect(await store.get<number>('a')).toBe(1)
  expect(far.asked).toEqual(['set a 3600'])
  expect(await far.get<number>('a')).toBe(1)
})

test('a value of the far store is read from there once', async () => {
  const near = watched()
  const far = watched()
  await far.set('a', 1)
  const store = tiered(near, far)
  expect(await store.get<number>('a')).toBe(1)
  expect(await store.get<number>('a')).toBe(1)
  expect(far.asked.filter((call) => call === 'get a').length).toBe(1)
  // Not longer, since another process may write it again.
  expect(near.asked).toContain('set a 60')
})

test('a value in neither store is looked up each time', async () => {
  const [near, memory] = [watched(), createMemoryStorage()]
  // A remote one answers later.
  const far = { ...memory, get: async <T>(key: string) => memory.get<T>(key) }
  const store = tiered(near, far)
  expect(await store.get('a')).toBeNull()
  expect(near.asked).toEqual(['get a'])
  await far.set('a', 2)
  expect(await store.get<number>('a')).toBe(2)
})

test('a short lifetime is as short in the near store', async () => {
  const near = watched()
  await tiered(near, watched()).set('a', 1, { ttl: 10 })
  expect(near.asked).toEqual(['set a 10'])
})

test('a long lifetime is one minute in the near store, since another process may write the value again', async () => {
  const near = watched()
  await tiered(near, watched()).set('a', 1, { ttl: 3600 })
  expect(near.asked).toEqual(['set a 60'])
})

test('a failed write is reported, and the value is still read from the near store', async () => {
  const store = tiered(createMemoryStorage(), {
    get: () => null,
    set: () => Promise.reject(new Error('KV PUT failed: 429')),
  })
  await expect(Promise.resolve(store.set('a', 1))).rejects.toThrow('429')
  expect(await store.get<number>('a')).toBe(1)
})
