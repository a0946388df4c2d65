import { expect, test } from 'bun:test'
import {
  type CapabilityStore,
  capabilityKey,
  LearnedCapabilities,
  readCapabilities,
} from '../../src/translation/capabilities.ts'

const baseUrl = 'http://a.example'
const learned = (...refused: readonly string[]) => ({ baseUrl, model: 'm', refused })

function storeOf() {
  const kept = new Map<string, unknown>()
  const ttls: number[] = []
  const store: CapabilityStore = {
    get: async (key) => kept.get(key),
    set(key, value, { ttl }) {
      kept.set(key, value)
      ttls.push(ttl)
    },
  }
  return { kept, ttls, store }
}

test('what a model refuses is known for a week, and what is learned then comes to it', async () => {
  let ms = 0
  const capabilities = new LearnedCapabilities({ now: () => ms })
  const known = () => capabilities.refusedBy(baseUrl, 'm')
  expect(await known()).toBeUndefined()
  await capabilities.learn(learned('stop'))
  await capabilities.learn(learned('top_k', 'stop'))
  ms = 604_800_000 - 1
  expect(await known()).toEqual(['stop', 'top_k'])
  expect(await capabilities.refusedBy(baseUrl, 'other')).toBeUndefined()
  ms++
  expect(await known()).toBeUndefined()
  await capabilities.learn(learned('seed'))
  expect(await known()).toEqual(['seed'])
})

test('what a store has is asked for every five minutes', async () => {
  let ms = 0
  const { kept, ttls, store } = storeOf()
  const capabilities = new LearnedCapabilities({ store, now: () => ms })
  await capabilities.learn(learned('stop'))
  const key = await capabilityKey(baseUrl, 'm')
  expect(key).toMatch(/^capabilities:[0-9a-f]{64}$/)
  expect([[...kept], ttls]).toEqual([[[key, learned('stop')]], [604_800]])
  kept.set(key, learned('top_k'))
  ms = 299_999
  expect(await capabilities.refusedBy(baseUrl, 'm')).toEqual(['stop'])
  ms++
  expect(await capabilities.refusedBy(baseUrl, 'm')).toEqual(['top_k'])
  // Now it is remembered again.
  kept.clear()
  expect(await capabilities.refusedBy(baseUrl, 'm')).toEqual(['top_k'])
})

test('what a store has of another model, or in another form, is not known', async () => {
  const { kept, store } = storeOf()
  const key = await capabilityKey(baseUrl, 'm')
  for (const odd of [{ ...learned(), model: 'other' }, { ...learned(), baseUrl: 'x' }, 'text', null, undefined]) {
    kept.set(key, odd)
    expect(await new LearnedCapabilities({ store }).refusedBy(baseUrl, 'm')).toBeUndefined()
  }
  expect(readCapabilities(learned(...Array(50).fill('a')))).toBeDefined()
  expect(readCapabilities(learned(...Array(51).fill('a')))).toBeUndefined()
})

test('a thousand models are remembered, and made-up names do not add to them', async () => {
  const capabilities = new LearnedCapabilities()
  const learn = (count: number) => capabilities.learn({ baseUrl, model: String(count), refused: [] })
  for (let count = 1; count <= 1000; count++) await learn(count)
  expect(await capabilities.refusedBy(baseUrl, '1')).toEqual([])
  await learn(1001)
  expect(await capabilities.refusedBy(baseUrl, '1')).toBeUndefined()
})

test('a store that cannot keep what was learned fails, and it is remembered all the same', async () => {
  const store: CapabilityStore = { get: () => null, set: () => Promise.reject(new Error('full')) }
  const capabilities = new LearnedCapabilities({ store })
  expect(await capabilities.learn(learned('stop')).catch(({ message }: Error) => message)).toBe('full')
  expect(await capabilities.refusedBy(baseUrl, 'm')).toEqual(['stop'])
})
