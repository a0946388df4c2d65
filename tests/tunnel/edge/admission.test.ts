import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import type { Sql } from 'cloudflare:workers'
import { admitHome, Nonces, refuseHome, tunnelFailure } from '../../../src/tunnel/edge/admission.ts'
import { signLogin } from '../../../src/tunnel/login.ts'
import { protocolVersion } from '../../../src/tunnel/protocol.ts'

const secret = 'a-secret-of-the-edge'

/** What the Worker replies to a home that logs in at an edge, and where it sends it on. */
async function admit(login: string | undefined, variables: object) {
  const sent: Request[] = []
  const tunnel = {
    async fetch(request: Request) {
      sent.push(request)
      return new Response('connected')
    },
  }
  const headers = { upgrade: 'websocket', ...(login !== undefined && { authorization: login }) }
  const reply = await admitHome(new Request('https://edge.example/connect', { headers }), tunnel, variables)
  return { status: reply.status, sent, body: await reply.text() }
}

const claims = { home: 'desk', capacity: 4, version: protocolVersion, edge: 'edge.example' }

test('a home with a valid login goes on to the object of the homes, with its headers', async () => {
  const login = await signLogin(secret, claims)
  const { body, sent } = await admit(login, { CSP_CONNECT_SECRET: secret })
  expect(body).toBe('connected')
  expect(sent.map(({ url }) => url)).toEqual(['https://edge.example/__connect'])
  expect(sent[0]?.headers.get('authorization')).toBe(login)
})

test('a home without one costs the object nothing, and neither does an edge without a secret', async () => {
  const elsewhere = await signLogin(secret, { ...claims, edge: 'other.example' })
  const variables = { CSP_CONNECT_SECRET: secret }
  for (const [login, given, status, code] of [
    [undefined, variables, 401, 'login'],
    [elsewhere, variables, 401, 'login'],
    [elsewhere, {}, 503, 'no-secret'],
    [elsewhere, { CSP_HOME_SECRETS: 'desk' }, 503, 'malformed-secrets'],
  ] as const) {
    const reply = await admit(login, given)
    expect([reply.status, JSON.parse(reply.body).code, reply.sent]).toEqual([status, code, []])
    if (status === 503) expect(JSON.parse(reply.body).message).toContain('16 characters')
  }
})

test.each([
  ['no-home', 503, 'unavailable', '5'],
  ['lost', 503, 'unavailable', '2'],
  ['busy', 429, 'busy', '5'],
  ['failed', 502, 'failed', null],
  ['cancelled', 499, 'cancelled', null],
  ['too-large', 413, 'too-large', null],
  ['upgrade', 426, 'upgrade', null],
  ['no-secret', 503, 'no-secret', null],
  ['malformed-secrets', 503, 'malformed-secrets', null],
  ['too-many-homes', 503, 'too-many-homes', null],
] as const)('without a home, %s has the status %i, the code %s and the wait %p', async (kind, status, code, wait) => {
  const reply = tunnelFailure(kind)
  expect([reply.status, reply.headers.get('retry-after')]).toEqual([status, wait])
  expect(await reply.json()).toEqual({
    ...{ type: 'error', code, message: expect.any(String) },
    ...(wait !== null && { retryAfterSeconds: Number(wait) }),
  })
})

test('a home that is refused is told why', async () => {
  const reply = refuseHome({ code: 'clock', message: 'The clock at home is 90 s ahead.' })
  expect(reply.status).toBe(401)
  expect(await reply.json()).toEqual({ type: 'error', code: 'clock', message: 'The clock at home is 90 s ahead.' })
})

test('a nonce counts once, up to the end of its login', () => {
  const database = new Database(':memory:')
  const exec = (statement: string, ...values: (string | number)[]) => ({
    rowsWritten: database.query(statement).run(...values).changes,
  })
  const nonces = new Nonces({ exec } as unknown as Sql)
  expect(nonces.spend('a', 1000, 0)).toBe(true)
  expect(nonces.spend('b', 1000, 0)).toBe(true)
  expect(nonces.spend('a', 2000, 1000)).toBe(false)
  expect(nonces.spend('a', 2000, 1001)).toBe(true)
  database.close()
})
