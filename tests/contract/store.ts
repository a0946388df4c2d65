import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import type { Driver } from 'unstorage'
import { openStore } from '../../src/storage/store.ts'

export interface DriverFixture {
  /** A driver on the same data each time. */
  readonly open: () => Driver
  readonly dispose: () => Promise<void>
}

/** Registers the tests that a store must pass on every driver. */
export function storeContract(name: string, makeFixture: () => Promise<DriverFixture>): void {
  describe(`a store on ${name}`, () => {
    let fixture: DriverFixture
    let clock: { seconds: number }
    const open = (maxBytes?: number): ReturnType<typeof openStore> =>
      openStore(fixture.open(), { maxBytes, now: () => clock.seconds * 1000 })
    beforeEach(async () => {
      fixture = await makeFixture()
      clock = { seconds: 1000 }
    })
    afterEach(() => fixture.dispose())

    test('has nothing at first', async () => {
      expect(await open().get(keyOf('a'))).toBeNull()
      expect(await open().stats()).toEqual({ entries: 0, bytes: 0 })
    })

    test('gives back what was set, whoever opens it', async () => {
      const bodies = { a: { value: { text: 'é 🦊 "' }, mtime: 1 }, b: '123', c: 123, d: [null, true], e: '{"torn' }
      const store = open()
      for (const [name, body] of Object.entries(bodies)) await store.set(keyOf(name), body)
      for (const [name, body] of Object.entries(bodies)) expect(await open().get(keyOf(name))).toEqual(body)
    })

    test('replaces and deletes', async () => {
      const store = open()
      await store.set(keyOf('a'), 1)
      await store.set(keyOf('a'), 2)
      expect(await store.get(keyOf('a'))).toBe(2)
      await store.set(keyOf('a'), null)
      expect(await store.get(keyOf('a'))).toBeNull()
      await store.set(keyOf('a'), null)
      expect((await store.stats()).entries).toBe(0)
    })

    test('forgets what has expired, and deletes it on the way', async () => {
      const store = open()
      await store.set(keyOf('short'), 1, { ttl: 10 })
      await store.set(keyOf('endless'), 2)
      clock.seconds += 9
      expect(await store.get(keyOf('short'))).toBe(1)
      clock.seconds += 1
      expect(await store.get(keyOf('short'))).toBeNull()
      expect((await store.stats()).entries).toBe(1)
      expect(await store.get(keyOf('endless'))).toBe(2)
    })

    test('does not write what is too big, nor keep what it would have replaced', async () => {
      const store = open()
      await store.set(keyOf('a'), 'small')
      await store.set(keyOf('a'), 'é'.repeat(600_000))
      expect(await store.get(keyOf('a'))).toBeNull()
      const frame = JSON.stringify({ version: 1, expiresAt: null, body: '' }).length
      await store.set(keyOf('a'), 'e'.repeat(1024 * 1024 - frame))
      expect(await store.get(keyOf('a'))).toHaveLength(1024 * 1024 - frame)
      await store.set(keyOf('a'), 'e'.repeat(1024 * 1024 - frame + 1))
      expect(await store.get(keyOf('a'))).toBeNull()
      await store.set(keyOf('a'), 'e'.repeat(600_000))
      expect(await store.get(keyOf('a'))).toHaveLength(600_000)
    })

    test('reads what is no entry as nothing, and sweeps it away', async () => {
      const items = ['', '123', '{"version":1,"expiresAt":', '[]', '{"version":2,"expiresAt":null,"body":1}', 'null']
      for (const [index, item] of items.entries()) await fixture.open().setItem?.(keyOf(String(index)), item, {})
      const store = open()
      for (const index of items.keys()) expect(await store.get(keyOf(String(index)))).toBeNull()
      await store.set(keyOf('good'), 1)
      await store.sweep()
      for (const index of items.keys()) expect(await fixture.open().hasItem(keyOf(String(index)), {})).toBe(false)
      expect(await store.get(keyOf('good'))).toBe(1)
    })

    test('sweeps what has expired, and the oldest while there is too much', async () => {
      const store = open(350)
      await store.set(keyOf('expired'), 'x'.repeat(50), { ttl: 1 })
      clock.seconds += 5
      for (const name of ['c', 'a', 'b', 'd']) {
        await store.set(keyOf(name), 'x'.repeat(50), { ttl: 60 })
        clock.seconds += 1
      }
      await store.sweep()
      const left = await Promise.all(['expired', 'c', 'a', 'b', 'd'].map((name) => store.get(keyOf(name))))
      expect(left.map((body) => body !== null)).toEqual([false, false, true, true, true])
      expect((await store.stats()).bytes).toBeLessThanOrEqual(350)
      await store.sweep()
      expect((await store.stats()).entries).toBe(3)
    })

    test('counts and clears', async () => {
      const store = open()
      for (const name of ['a', 'b', 'c']) await store.set(keyOf(name), 'x'.repeat(1000))
      const { entries, bytes } = await store.stats()
      expect(entries).toBe(3)
      expect(bytes).toBeGreaterThan(3000)
      expect(bytes).toBeLessThan(3500)
      await store.clear()
      expect(await store.stats()).toEqual({ entries: 0, bytes: 0 })
      expect(await store.get(keyOf('a'))).toBeNull()
    })

    test('takes concurrent writers of one key, the last of whom wins', async () => {
      const store = open()
      const bodies = Array.from({ length: 50 }, (_, index) => String(index).repeat(2000))
      await Promise.all(bodies.map((body) => store.set(keyOf('a'), body)))
      expect(bodies).toContain((await store.get<string>(keyOf('a'))) ?? '')
      await store.set(keyOf('a'), 'last')
      expect(await open().get(keyOf('a'))).toBe('last')
    })
  })
}

/** A key of the form that the cache uses. */
export function keyOf(name: string): string {
  return `v1:${createHash('sha256').update(name).digest('hex')}`
}
