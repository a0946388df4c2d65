import { describe, expect, spyOn, test } from 'bun:test'
import type { KnownKey } from '../../../src/api/exchange/known-key.ts'
import { digestOf, type KeyRing, keyCheck } from '../../../src/api/http/auth.ts'
import { testApp } from '../test-app.ts'

/** A ring whose keys can be changed. */
function ringOf(...keys: KnownKey[]): KeyRing & { held: KnownKey[] } {
  const held = keys
  return { held, keys: async () => [...held] }
}
const known = async (name: string): Promise<KnownKey> => ({ name, digest: await digestOf(`secret-${name}`) })
const bearer = (key: string) => new Headers({ authorization: `Bearer ${key}` })

/** In whose name a search of the app was made. */
async function callerOf(app: ReturnType<typeof testApp>, headers: Record<string, string>): Promise<string | undefined> {
  expect((await app.get('/v1/search?q=bees', headers)).status).toBe(200)
  return app.executor.calls.at(-1)?.context.caller
}

describe('a ring of keys', () => {
  test('gives access beside plain keys, each under its name', async () => {
    const limited = { ...(await known('phone')), limits: { searchesPerDay: 1 } }
    const check = keyCheck(['plain-one', 'plain-two'], ringOf(limited))
    expect(await check(bearer('secret-phone'))).toEqual({ verdict: 'accepted', caller: 'phone', key: limited })
    expect(await check(bearer('plain-two'))).toMatchObject({ verdict: 'accepted', caller: 'key-2' })
    expect(await check(bearer('secret-desk'))).toEqual({ verdict: 'wrong' })
    expect(await check(new Headers())).toEqual({ verdict: 'missing' })
  })

  test('is read again for each request', async () => {
    const ring = ringOf(await known('phone'), await known('desk'))
    const check = keyCheck([], ring)
    expect((await check(bearer('secret-phone'))).verdict).toBe('accepted')
    ring.held.shift()
    expect((await check(bearer('secret-phone'))).verdict).toBe('wrong')
    ring.held.push(await known('tablet'))
    expect((await check(bearer('secret-tablet'))).verdict).toBe('accepted')
  })

  test('closes an open server with its first key, and lets nobody in after its last one is removed', async () => {
    const ring = ringOf()
    const check = keyCheck([], ring)
    expect((await check(new Headers())).verdict).toBe('accepted')
    ring.held.push(await known('phone'))
    expect((await check(new Headers())).verdict).toBe('missing')
    ring.held.pop()
    expect((await check(new Headers())).verdict).toBe('missing')
    expect((await check(bearer('secret-phone'))).verdict).toBe('wrong')
  })

  test('that is required lets nobody in while it is empty', async () => {
    const check = keyCheck([], { ...ringOf(), isRequired: true })
    expect((await check(new Headers())).verdict).toBe('missing')
    expect((await check(bearer('anything'))).verdict).toBe('wrong')
  })

  test('does not accept a stored digest as a key', async () => {
    const key = await known('phone')
    expect((await keyCheck([], ringOf(key))(bearer(key.digest))).verdict).toBe('wrong')
  })
})

describe('a search is counted under the name of', () => {
  test('its key, in any of the headers', async () => {
    const app = testApp(undefined, { keys: ['plain'], keyRing: ringOf(await known('phone')) })
    expect(await callerOf(app, { 'x-api-key': 'secret-phone' })).toBe('phone')
    expect(await callerOf(app, { 'x-subscription-token': 'plain' })).toBe('key-1')
    expect(await callerOf(app, { 'api-key': 'plain' })).toBe('key-1')
    const body = { query: 'bees', api_key: 'secret-phone' }
    expect((await app.post('/tavily/search', body)).status).toBe(200)
    expect(app.executor.calls.at(-1)?.context.caller).toBe('phone')
  })

  test('a key in the address, for clients that have no other field for it', async () => {
    const app = testApp(undefined, { keys: ['plain'], keyRing: ringOf(await known('phone')) })
    const basic = (text: string) => ({ authorization: `Basic ${btoa(text)}` })
    expect(await callerOf(app, basic('csp:secret-phone'))).toBe('phone')
    expect(await callerOf(app, basic('plain'))).toBe('key-1')
    for (const wrong of ['csp:other', 'secret-phone:other', ':', '']) {
      expect((await app.get('/v1/search?q=bees', basic(wrong))).status).toBe(401)
    }
    expect((await app.get('/v1/search?q=bees', { authorization: 'Basic %%%' })).status).toBe(401)
  })

  test('no key in a scheme without one, or in what is no key', async () => {
    const check = keyCheck(['right'])
    const verdictOf = async (headers: Record<string, string>) => (await check(new Headers(headers))).verdict
    for (const authorization of ['Bearer', 'bearer  ', 'Basic', 'basic !', 'Basic ====', `Basic ${btoa(':')}`, ''])
      expect(await verdictOf({ authorization })).toBe('missing')
    expect(await verdictOf({ authorization: 'Digest right' })).toBe('missing')
    expect(await verdictOf({ authorization: `Basic ${btoa('x'.repeat(5000))}` })).toBe('missing')
    for (const authorization of ['Bearer righ', 'Bearer rights', 'Bearer', 'righT'])
      expect(await verdictOf({ authorization })).not.toBe('accepted')
    for (const authorization of [' right ', 'BEARER  right', `basic ${btoa('right')}`, `Basic ${btoa('me:right')}`])
      expect(await verdictOf({ authorization })).toBe('accepted')
  })

  test('the token of this user, which opens the door and closes none', async () => {
    const headers = new Headers({ 'x-api-key': 'the-token' })
    const open = keyCheck([], undefined, 'the-token')
    expect(await open(headers)).toMatchObject({ verdict: 'accepted', caller: 'local', key: { isLocal: true } })
    expect((await open(new Headers())).caller).toStartWith('anonymous:')
    expect((await open(bearer('another'))).caller).toStartWith('anonymous:')
    expect(await keyCheck(['right'], undefined, 'the-token')(headers)).toMatchObject({ caller: 'local' })
  })

  test('a key in the body only up to 64 KiB, and any body with a key in its head', async () => {
    const { post } = testApp(undefined, { keys: ['right'] })
    const size = (bytes: number) => ({ query: 'bees', api_key: 'right', ignored: 'x'.repeat(bytes) })
    expect((await post('/tavily/search', size(60_000))).status).toBe(200)
    expect((await post('/tavily/search', size(70_000))).status).toBe(413)
    expect((await post('/tavily/search', size(70_000), { 'x-api-key': 'right' })).status).toBe(200)
  })

  test('a value that separates callers where no key is needed, and that reveals nothing of them', async () => {
    const app = testApp()
    const names = [
      await callerOf(app, { authorization: 'Bearer one' }),
      await callerOf(app, { 'x-api-key': 'two' }),
      await callerOf(app, { 'user-agent': 'curl/8' }),
      await callerOf(app, { 'user-agent': 'OpenAI/JS' }),
      await callerOf(app, {}),
    ]
    expect(new Set(names).size).toBe(5)
    for (const name of names) expect(name).toMatch(/^anonymous:[0-9a-f]{6}$/)
    expect(await callerOf(app, { authorization: 'Bearer one', 'user-agent': 'other' })).toBe(names[0])
    // Another process gives other names: they are no fingerprints of what was sent.
    expect(await callerOf(testApp(), { authorization: 'Bearer one' })).not.toBe(names[0])
  })

  test('a caller, also after thousands of made-up callers', async () => {
    const check = keyCheck([])
    const nameOf = async (agent: string) => (await check(new Headers({ 'user-agent': agent }))).caller
    const name = await nameOf('first')
    const digest = spyOn(process.getBuiltinModule('node:crypto'), 'createHash')
    try {
      await nameOf('first')
      expect(digest).not.toHaveBeenCalled()
      for (let index = 0; index < 256; index++) await nameOf(`made up ${index}`)
      digest.mockClear()
      expect(await nameOf('first')).toBe(name)
      expect(digest).toHaveBeenCalledTimes(1)
    } finally {
      digest.mockRestore()
    }
  })
})
