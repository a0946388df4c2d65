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

test('what was written is near, and far', async () => {
  const far = watched()
  const store = tiered(createMemoryStorage(), far)
  await store.set('a', 1, { ttl: 3600 })
  expect(await store.get<number>('a')).toBe(1)
  expect(far.asked).toEqual(['set a 3600'])
  expect(await far.get<number>('a')).toBe(1)
})

test('what is far is asked for once', async () => {
  const near = watched()
  const far = watched()
  await far.set('a', 1)
  const store = tiered(near, far)
  expect(await store.get<number>('a')).toBe(1)
  expect(await store.get<number>('a')).toBe(1)
  expect(far.asked.filter((call) => call === 'get a').length).toBe(1)
  // Not longer: another may write it anew.
  expect(near.asked).toContain('set a 60')
})

test('what is nowhere is asked for each time', async () => {
  const far = watched()
  const store = tiered(createMemoryStorage(), far)
  expect(await store.get('a')).toBeNull()
  await far.set('a', 2)
  expect(await store.get<number>('a')).toBe(2)
})

test('a short life is as short near', async () => {
  const near = watched()
  await tiered(near, watched()).set('a', 1, { ttl: 10 })
  expect(near.asked).toEqual(['set a 10'])
})

test('a long life is a minute near, since another may write it anew', async () => {
  const near = watched()
  await tiered(near, watched()).set('a', 1, { ttl: 3600 })
  expect(near.asked).toEqual(['set a 60'])
})

test('a failed write is told, and read near all the same', async () => {
  const store = tiered(createMemoryStorage(), {
    get: () => null,
    set: () => Promise.reject(new Error('KV PUT failed: 429')),
  })
  await expect(Promise.resolve(store.set('a', 1))).rejects.toThrow('429')
  expect(await store.get<number>('a')).toBe(1)
})
