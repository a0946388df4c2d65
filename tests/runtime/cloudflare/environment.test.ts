import { expect, test } from 'bun:test'
import { type EdgeEnvironment, objectNamed, readEdgeSettings } from '../../../src/runtime/cloudflare/environment.ts'
import { edgeEnvironment } from './edge-environment.ts'

const read = (variables: Readonly<Record<string, unknown>>) => readEdgeSettings(edgeEnvironment(variables))
const phone = { name: 'phone', sha256: 'a'.repeat(64), created: '2026-01-01T00:00:00.000Z' }
const keys = (...list: readonly object[]) => JSON.stringify({ version: 1, keys: list })

test('the variables of a Worker are those of csp serve, and an empty one is not set', () => {
  expect(read({ CSP_API_KEYS: 'one,two', CSP_CACHE_TTL: '', CSP_TIMEOUT: '2m', CSP_KEYS: '' })).toMatchObject({
    config: { apiKeys: ['one', 'two'], cacheTtl: 3600, timeout: 120 },
    namedKeys: [],
  })
})

test('a variable that is wrong is named, once, and only that one', () => {
  const said = read({ CSP_API_KEYS: 'one', CSP_TIMEOUT: 'soon', CSP_MODEL: 'haiku', CSP_MERGE: 'x' })
  expect(said).toMatch(/^CSP_\w+ must be [^.]+\.? ?.*CSP_\w+ must be/)
  expect(said).toContain('CSP_TIMEOUT must be')
  expect(said).toContain('CSP_MERGE must be')
  expect(String(said).match(/CSP_/g)).toHaveLength(2)
})

test('named keys are enough, and none at all says how to set one', () => {
  expect(read({ CSP_KEYS: keys(phone) })).toMatchObject({ config: { apiKeys: [] }, namedKeys: [{ name: 'phone' }] })
  const none = 'This csp has no keys yet and rejects all requests. Set them: npx wrangler secret put CSP_API_KEYS'
  expect(read({})).toBe(none)
  expect(read({ CSP_KEYS: keys() })).toBe(none)
  // A binding, which is no text.
  expect(read({ CSP_KEYS: {} })).toBe(none)
  for (const CSP_API_KEYS of ['', 'one'])
    expect(read({ CSP_API_KEYS, CSP_KEYS: '{' })).toBe('CSP_KEYS must be the content of a keys.json file of csp keys.')
})

test('each request to an object gets a stub of its own', async () => {
  const stubs: unknown[] = []
  const namespace: EdgeEnvironment['HOMES'] = {
    idFromName: (name) => `id of ${name}`,
    get(id) {
      stubs.push(id)
      return { fetch: async (request) => new Response(`${id}: ${request.url}`) }
    },
  }
  const object = objectNamed(namespace, 'homes')
  expect(stubs).toEqual([])
  for (const path of ['a', 'b'])
    expect(await (await object.fetch(new Request(`http://x/${path}`))).text()).toBe(`id of homes: http://x/${path}`)
  expect(stubs).toEqual(['id of homes', 'id of homes'])
})
