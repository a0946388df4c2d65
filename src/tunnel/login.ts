import { protocolVersion } from './protocol.ts'

/** What a home says of itself when it connects. */
export interface HomeClaims {
  /** Its name, `[A-Za-z0-9._-]`, 1 to 64 of them. Homes of one edge need different ones. */
  readonly home: string
  /** Requests that it takes at once. */
  readonly capacity: number
  /** The protocol that it speaks. */
  readonly version: number
}

/** A login that was signed with the right secret, and not long ago. Whether its nonce is new is left to check. */
export interface Login extends HomeClaims {
  readonly nonce: string
  /** From then on it would be too old, so that its nonce may be forgotten: milliseconds since 1970. */
  readonly expiresAt: number
}

/** Why a home is not let in. */
export interface LoginRefusal {
  readonly code: 'login' | 'clock' | 'version' | 'replayed'
  /** For the person at home. */
  readonly message: string
}

export interface SignOptions {
  readonly now?: number | undefined
  readonly nonce?: string | undefined
}

/** How far the clocks of home and edge may be apart. */
export const maxSkewMs = 60_000

/** The shortest secret that is taken. */
export const minSecretLength = 16

/** The value of `Authorization` with which a home connects. Each is good for one connection. */
export async function signLogin(
  secret: string,
  { home, capacity, version }: HomeClaims,
  { now = Date.now(), nonce = crypto.randomUUID() }: SignOptions = {},
): Promise<string> {
  const claims = `v=${version},ts=${now},nonce=${nonce},home=${home},capacity=${capacity}`
  const signature = await crypto.subtle.sign('HMAC', await keyFor(secret, 'sign'), toSign(claims))
  return `${scheme} ${claims},sig=${new Uint8Array(signature).toHex()}`
}

/** Checks a home's login. The reason is told in full only to who holds the secret. */
export async function verifyLogin(
  secret: string,
  authorization: string | null,
  now = Date.now(),
): Promise<Login | LoginRefusal> {
  const match = loginPattern.exec(authorization ?? '')
  if (!match?.groups) return wrongLogin
  const { claims = '', v, ts, nonce = '', home = '', capacity, sig = '' } = match.groups
  const key = await keyFor(secret, 'verify')
  // `verify` compares in constant time.
  if (!(await crypto.subtle.verify('HMAC', key, Uint8Array.fromHex(sig), toSign(claims)))) return wrongLogin
  const version = Number(v)
  if (version !== protocolVersion) return wrongVersion(version)
  const skewMs = Number(ts) - now
  if (Math.abs(skewMs) > maxSkewMs) return wrongClock(skewMs)
  return { home, capacity: Number(capacity), version, nonce, expiresAt: Number(ts) + maxSkewMs }
}

/** Whether a home was let in. */
export function isLogin(verdict: Login | LoginRefusal): verdict is Login {
  return 'nonce' in verdict
}

/** Whether a name can be a home's. */
export function isHomeName(name: string): boolean {
  return /^[A-Za-z0-9._-]{1,64}$/.test(name)
}

const scheme = 'CSP-Home'

const loginPattern =
  /^CSP-Home (?<claims>v=(?<v>\d{1,6}),ts=(?<ts>\d{13}),nonce=(?<nonce>[0-9a-f-]{36}),home=(?<home>[A-Za-z0-9._-]{1,64}),capacity=(?<capacity>[1-9]\d{0,5})),sig=(?<sig>[0-9a-f]{64})$/

const wrongLogin: LoginRefusal = {
  code: 'login',
  message: 'The login is not one of ours. CSP_CONNECT_SECRET must be the same at home and on the edge.',
}

function wrongVersion(version: number): LoginRefusal {
  const older = version < protocolVersion ? 'home' : 'the edge'
  return {
    code: 'version',
    message: `Home speaks version ${version} of the tunnel and the edge version ${protocolVersion}: update csp at ${older}.`,
  }
}

function wrongClock(skewMs: number): LoginRefusal {
  const seconds = Math.round(Math.abs(skewMs) / 1000)
  const message = `The clock at home is ${seconds} s ${skewMs > 0 ? 'ahead' : 'behind'}. Set it, and try again.`
  return { code: 'clock', message }
}

function toSign(claims: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`csp-connect\n${claims}`)
}

function keyFor(secret: string, use: 'sign' | 'verify'): Promise<CryptoKey> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  return crypto.subtle.importKey('raw', new TextEncoder().encode(secret), algorithm, false, [use])
}
