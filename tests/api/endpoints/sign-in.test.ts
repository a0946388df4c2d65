import { describe, expect, test } from 'bun:test'
import type { SignIn, SignInStep } from '../../../src/api/endpoints/own-parts.ts'
import type { BackendHealth } from '../../../src/domain/health.ts'
import { found, scriptedExecutor } from '../../support/scripted-executor.ts'
import { framesOf, testApp } from '../test-app.ts'

const origin = 'http://localhost'

/** A login that plays these steps and then waits for its end. */
function scriptedSignIn(steps: readonly SignInStep[], waits = false) {
  const codes: string[] = []
  const ended = Promise.withResolvers<void>()
  let begun = 0
  const signIn: SignIn = {
    async *begin(signal) {
      begun++
      signal.addEventListener('abort', () => ended.resolve(), { once: true })
      yield* steps
      if (waits) await ended.promise
    },
    async enter(id, code) {
      if (id === 'one') codes.push(code)
      return id === 'one'
    },
  }
  return { signIn, codes, ended: ended.promise, begun: () => begun }
}

const out: BackendHealth = { name: 'claude', ready: false, signedIn: false }
const done: readonly SignInStep[] = [{ type: 'started', id: 'one' }, { type: 'done' }]

function appWith(
  { signIn }: { signIn: SignIn },
  backend = out,
  options: { keys?: string[]; allowedOrigins?: string[] } = {},
) {
  return testApp(scriptedExecutor(found(1), { ready: false, backends: [backend] }), { signIn, ...options })
}

const begin = { method: 'POST', headers: { origin, host: 'localhost' } }

describe('POST /v1/sign-in', () => {
  test('streams the steps of the login', async () => {
    let backend = out
    const steps: readonly SignInStep[] = [
      { type: 'started', id: 'one' },
      { type: 'link', url: 'https://claude.com/x' },
      { type: 'done' },
    ]
    const login = scriptedSignIn(steps)
    const executor = { ...scriptedExecutor(found(1)), health: async () => ({ ready: true, backends: [backend] }) }
    const { request, log } = testApp(executor, { signIn: login.signIn })
    const reply = await request('/v1/sign-in', begin)
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
    backend = { name: 'claude', ready: true, signedIn: true }
    expect(framesOf(await reply.text()).map((frame) => JSON.parse(frame))).toEqual([...steps])
    expect(log).toMatchObject([{ path: '/v1/sign-in', status: 200 }])
  })

  test('is no success where the CLI still says that it is signed out', async () => {
    const reply = await appWith(scriptedSignIn(done)).request('/sign-in', begin)
    expect(await reply.text()).toContain('still says that it is signed out')
  })

  test.each<[string, BackendHealth, number]>([
    ['is signed out', out, 200],
    [
      'was refused its login',
      {
        ...{ name: 'claude', ready: true, signedIn: true, lastSearchFailed: true },
        lastError: { code: 'signed-out', message: 'Out.', at: '2026-11-20T10:00:00Z' },
      },
      200,
    ],
    ['works', { name: 'claude', ready: true, signedIn: true }, 403],
    ['has failed in another way', { ...{ name: 'claude', ready: true, signedIn: true, lastSearchFailed: true } }, 403],
  ])('begins only where Claude cannot search without: one that %s', async (_, backend, status) => {
    const login = scriptedSignIn(done)
    const reply = await appWith(login, backend).request('/v1/sign-in', begin)
    await reply.text()
    expect([reply.status, login.begun()]).toEqual([status, status === 200 ? 1 : 0])
  })

  test('ends with the page that began it', async () => {
    const login = scriptedSignIn([{ type: 'started', id: 'one' }], true)
    const reply = await appWith(login).request('/v1/sign-in', begin)
    const reader = reply.body?.getReader()
    await reader?.read()
    await reader?.cancel()
    await login.ended
  })

  test('begins five times in a row for one key, and the others are not concerned', async () => {
    const login = scriptedSignIn(done)
    const { request } = appWith(login, out, { keys: ['one', 'two'] })
    const beginWith = async (key: string) => {
      const reply = await request('/v1/sign-in', { ...begin, headers: { ...begin.headers, 'x-api-key': key } })
      const seconds = Number(reply.headers.get('retry-after'))
      return [reply.status, seconds > 10 && seconds <= 20, (await reply.text()).includes('too often')]
    }
    for (let count = 0; count < 5; count++) expect(await beginWith('one')).toEqual([200, false, false])
    expect(await beginWith('one')).toEqual([429, true, true])
    expect(await beginWith('two')).toEqual([200, false, false])
    expect(login.begun()).toBe(6)
  })

  test('is not there where csp has no login to make', async () => {
    expect((await testApp().request('/v1/sign-in', begin)).status).toBe(404)
  })
})

describe('POST /v1/sign-in/code', () => {
  test('hands the code to the login that it is for', async () => {
    const login = scriptedSignIn(done)
    const { request, log } = appWith(login)
    const send = (body: unknown) => request('/v1/sign-in/code', { ...begin, body: JSON.stringify(body) })
    expect((await send({ id: 'one', code: ' abc#def\n' })).status).toBe(204)
    expect((await send({ id: 'two', code: 'abc#def' })).status).toBe(404)
    expect(login.codes).toEqual(['abc#def'])
    expect(JSON.stringify(log)).not.toContain('abc')
  })

  test.each(['', 'two words', 'two\nlines', '\u0000', 'ä', 'x'.repeat(4097)])(
    'refuses what is no code: %j',
    async (code) => {
      const login = scriptedSignIn(done)
      const { post } = appWith(login)
      const reply = await post('/v1/sign-in/code', { id: 'one', code }, begin.headers)
      expect([reply.status, reply.body.error.message]).toEqual([400, expect.stringContaining('code: ')])
      expect(login.codes).toEqual([])
    },
  )

  test('takes a body of 16 KiB, and no larger one', async () => {
    const login = scriptedSignIn(done)
    const sized = (bytes: number) => JSON.stringify({ id: 'one', code: 'abc' }).padEnd(bytes)
    for (const [bytes, status] of [
      [16_384, 204],
      [16_385, 413],
    ] as const) {
      const reply = await appWith(login).request('/v1/sign-in/code', { ...begin, body: sized(bytes) })
      expect([bytes, reply.status]).toEqual([bytes, status])
    }
  })

  test.each([{}, 'text', { id: 1, code: 2 }, { code: 'a' }])('refuses the body %j', async (body) => {
    const reply = await appWith(scriptedSignIn(done)).post('/v1/sign-in/code', body, begin.headers)
    expect(reply.status).toBe(400)
  })
})

describe.each(['/v1/sign-in', '/sign-in', '/v1/sign-in/code', '/sign-in/code'])('%s', (path) => {
  const body = JSON.stringify({ id: 'one', code: 'abc' })

  test.each([
    ['a page of another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['a page of another port', { origin: 'http://localhost:8000', 'sec-fetch-site': 'same-site' }],
    ['a page that may search', { origin: 'https://app.example' }],
    ['a sandboxed frame', { origin: 'null' }],
    ['another name of this machine', { host: 'evil.example' }],
    ['a proxy in front of a csp without keys', { 'x-forwarded-for': '203.0.113.7' }],
  ])('is refused to %s', async (_, headers) => {
    const login = scriptedSignIn(done)
    const { request } = appWith(login, out, { allowedOrigins: ['https://app.example'] })
    const reply = await request(path, { method: 'POST', body, headers: { host: 'localhost', ...headers } })
    expect([reply.status, login.begun(), login.codes.length]).toEqual([403, 0, 0])
  })

  test('needs the key that csp requires', async () => {
    const login = scriptedSignIn(done)
    const { request } = appWith(login, out, { keys: ['right-key'] })
    const send = (headers: Record<string, string>) =>
      request(path, { method: 'POST', body, headers: { ...begin.headers, ...headers } })
    expect((await send({})).status).toBe(401)
    expect((await send({ authorization: 'Bearer wrong' })).status).toBe(401)
    expect([login.begun(), login.codes.length]).toEqual([0, 0])
    const reply = await send({ authorization: 'Bearer right-key' })
    await reply.text()
    expect(reply.ok).toBe(true)
  })

  test('takes no GET', async () => {
    const login = scriptedSignIn(done)
    const reply = await appWith(login).request(path, { headers: begin.headers })
    expect([reply.status, login.begun()]).toEqual([405, 0])
  })
})
