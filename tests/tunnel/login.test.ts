import { expect, test } from 'bun:test'
import { isLogin, maxSkewMs, signLogin, verifyLogin } from '../../src/tunnel/login.ts'
import { minProtocolVersion, protocolVersion } from '../../src/tunnel/protocol.ts'

const secret = 'a-secret-of-the-tests'
const edge = 'edge.example'
const claims = { home: 'attic', capacity: 5, workers: 2, version: protocolVersion, edge }
const now = 1_790_000_000_000

test('a login carries the name, the room and the time of its home', async () => {
  const nonce = crypto.randomUUID()
  const { edge: _, ...shown } = claims
  const login = await verifyLogin(() => secret, await signLogin(secret, claims, { now, nonce }), edge, now + 1000)
  expect(login).toEqual({ ...shown, nonce, expiresAt: now + maxSkewMs })
})

test('a login that does not name its workers counts as having as many as it has room for', async () => {
  const { workers: _, ...older } = claims
  const login = await verifyLogin(() => secret, await signLogin(secret, older, { now }), edge, now)
  expect(login).toMatchObject({ capacity: 5, workers: 5 })
})

test.each([
  ['another secret', (login: string) => login, 'another-secret-of-tests'],
  ['another home', (login: string) => login.replace('home=attic', 'home=cellar'), secret],
  ['more room', (login: string) => login.replace('capacity=5', 'capacity=6'), secret],
  ['more workers', (login: string) => login.replace('workers=2', 'workers=3'), secret],
  ['no workers', (login: string) => login.replace(',workers=2', ''), secret],
  ['a younger time', (login: string) => login.replace(`ts=${now}`, `ts=${now + 1}`), secret],
  ['another version', (login: string) => login.replace(`v=${protocolVersion}`, `v=${protocolVersion - 1}`), secret],
  ['no signature', (login: string) => login.replace(/,sig=.*/, ''), secret],
  ['nothing', () => '', secret],
  ['a bearer token', () => `Bearer ${secret}`, secret],
])('a login with %s is refused without a further reason', async (_, change, checked) => {
  const verdict = await verifyLogin(() => checked, change(await signLogin(secret, claims, { now })), edge, now)
  expect(verdict).toMatchObject({ code: 'login' })
})

test.each([
  [maxSkewMs, true],
  [-maxSkewMs, true],
  [maxSkewMs + 1, false],
  [-maxSkewMs - 1, false],
])('a clock that is %d ms off is accepted within the allowed skew only', async (skewMs, isRight) => {
  const verdict = await verifyLogin(() => secret, await signLogin(secret, claims, { now: now + skewMs }), edge, now)
  expect(isLogin(verdict)).toBe(isRight)
  if (!isLogin(verdict)) {
    expect(verdict.code).toBe('clock')
    expect(verdict.message).toContain(skewMs > 0 ? '60 s ahead' : '60 s behind')
  }
})

test.each([
  [protocolVersion + 1, 'Update csp on the edge'],
  [minProtocolVersion - 1, 'Update csp at home'],
])('a login of version %d is rejected, and the message says where to update csp', async (version, advice) => {
  const verdict = await verifyLogin(() => secret, await signLogin(secret, { ...claims, version }, { now }), edge, now)
  expect(verdict).toMatchObject({ code: 'version', message: expect.stringContaining(advice) })
})

test.each(['other.example', 'edge.example:8443', ''])('a login for one edge is of no use at %p', async (other) => {
  const verdict = await verifyLogin(() => secret, await signLogin(secret, claims, { now }), other, now)
  expect(verdict).toMatchObject({ code: 'login', message: expect.stringContaining('is for the edge edge.example') })
})

test('a login that names no edge is refused', async () => {
  const login = await signLogin(secret, { ...claims, edge: undefined }, { now })
  expect(await verifyLogin(() => secret, login, edge, now)).toMatchObject({ code: 'login' })
})

test('a login for which the edge has no secret is refused, whatever signed it', async () => {
  const login = await signLogin(secret, claims, { now })
  expect(await verifyLogin(() => undefined, login, edge, now)).toMatchObject({ code: 'login' })
})
