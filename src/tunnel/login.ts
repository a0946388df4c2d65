import { fromHex, toHex } from '@csp/lib/bytes'
import { minProtocolVersion, protocolVersion } from './protocol.ts'

/** What a home states when it connects. */
export interface HomeClaims {
  /** Its name: 1 to 64 characters of `[A-Za-z0-9._-]`, unique among the homes of an edge. */
  readonly home: string
  /** Maximum number of concurrent requests. */
  readonly capacity: number
  /** How many of them it works on at the same time; the others wait there. Absent: all. */
  readonly workers?: number | undefined
  /** Its version of the tunnel protocol. */
  readonly version: number
  /** The host, and the port where it is not the usual one, by which it reaches the edge. Since version 3. */
  readonly edge?: string | undefined
}

/** A login with a valid signature and timestamp. The caller must still check that its nonce is new. */
export interface Login extends HomeClaims {
  readonly nonce: string
  /** When the login expires and its nonce can be deleted: milliseconds since 1970. */
  readonly expiresAt: number
}

/** Why the edge rejects a home. */
export interface LoginRefusal {
  readonly code: 'login' | 'clock' | 'version' | 'replayed'
  /** For the user of the home. */
  readonly message: string
}

export interface SignOptions {
  readonly now?: number | undefined
  readonly nonce?: string | undefined
}

/** Maximum difference between the clocks of home and edge. */
export const maxSkewMs = 60_000

/** Minimum length of a secret. */
export const minSecretLength = 16

/** Creates the `Authorization` header of a home. Each is valid for one connection. */
export async function signLogin(
  secret: string,
  { home, capacity, workers, version, edge }: HomeClaims,
  { now = Date.now(), nonce = crypto.randomUUID() }: SignOptions = {},
): Promise<string> {
  const places = `capacity=${capacity}${workers === undefined ? '' : `,workers=${workers}`}`
  const place = edge === undefined ? '' : `,edge=${edge}`
  const claims = `v=${version},ts=${now},nonce=${nonce},home=${home},${places}${place}`
  const signature = await crypto.subtle.sign('HMAC', await keyFor(secret, 'sign'), toSign(claims))
  return `${scheme} ${claims},sig=${toHex(new Uint8Array(signature))}`
}

/**
 * Verifies a home's login by the secret of its name, at the edge of this host: an edge that a home trusts with its login
 * cannot use it at another. Detailed reasons are returned only if the signature is valid.
 */
export async function verifyLogin(
  secretOf: (home: string) => string | undefined,
  authorization: string | null,
  edge: string,
  now = Date.now(),
): Promise<Login | LoginRefusal> {
  const match = loginPattern.exec(authorization ?? '')
  if (!match?.groups) return wrongLogin
  const { claims = '', v, ts, nonce = '', home = '', capacity, workers, edge: meant, sig = '' } = match.groups
  const secret = secretOf(home)
  if (secret === undefined) return wrongLogin
  const key = await keyFor(secret, 'verify')
  // `verify` compares in constant time.
  if (!(await crypto.subtle.verify('HMAC', key, fromHex(sig), toSign(claims)))) return wrongLogin
  const version = Number(v)
  if (version < minProtocolVersion || version > protocolVersion) return wrongVersion(version)
  if (meant !== edge) return wrongEdge(meant, edge)
  const skewMs = Number(ts) - now
  if (Math.abs(skewMs) > maxSkewMs) return wrongClock(skewMs)
  const places = { capacity: Number(capacity), workers: Number(workers ?? capacity) }
  return { home, ...places, version, nonce, expiresAt: Number(ts) + maxSkewMs }
}

/** Whether the login was accepted. */
export function isLogin(verdict: Login | LoginRefusal): verdict is Login {
  return 'nonce' in verdict
}

/** Whether this is a valid name of a home. */
export function isHomeName(name: string): boolean {
  return homeNamePattern.test(name)
}

const scheme = 'CSP-Home'

const homeName = '[A-Za-z0-9._-]{1,64}'
const homeNamePattern = new RegExp(`^${homeName}$`)

const claimsPattern = [
  String.raw`v=(?<v>\d{1,6})`,
  String.raw`ts=(?<ts>\d{13})`,
  'nonce=(?<nonce>[0-9a-f-]{36})',
  `home=(?<home>${homeName})`,
  String.raw`capacity=(?<capacity>[1-9]\d{0,5})(?:,workers=(?<workers>[1-9]\d{0,5}))?(?:,edge=(?<edge>[a-z0-9.:[\]_-]{1,260}))?`,
].join(',')
const loginPattern = new RegExp(`^${scheme} (?<claims>${claimsPattern}),sig=(?<sig>[0-9a-f]{64})$`)

const wrongLogin: LoginRefusal = {
  code: 'login',
  message:
    'Invalid login. CSP_CONNECT_SECRET must be the same at home and on the edge, or the one that CSP_HOME_SECRETS has there for this name.',
}

function wrongVersion(version: number): LoginRefusal {
  const outdated = version < protocolVersion ? 'at home' : 'on the edge'
  return {
    code: 'version',
    message: `The home uses tunnel version ${version}, the edge version ${protocolVersion}. Update csp ${outdated}.`,
  }
}

function wrongEdge(meant: string | undefined, edge: string): LoginRefusal {
  const message = `This login is for the edge ${meant ?? 'of no name'}, not for ${edge}. A proxy before the edge must keep the Host header.`
  return { code: 'login', message }
}

function wrongClock(skewMs: number): LoginRefusal {
  const seconds = Math.round(Math.abs(skewMs) / 1000)
  const message = `The clock at home is ${seconds} s ${skewMs > 0 ? 'ahead' : 'behind'}. Set it and try again.`
  return { code: 'clock', message }
}

function toSign(claims: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`csp-connect\n${claims}`)
}

function keyFor(secret: string, use: 'sign' | 'verify'): Promise<CryptoKey> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  return crypto.subtle.importKey('raw', new TextEncoder().encode(secret), algorithm, false, [use])
}
