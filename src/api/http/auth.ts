import type { MiddlewareHandler } from 'hono'
import type { Limits } from '../../executor/layers/metering/budget.ts'
import { parseJson } from '../../lib/json.ts'
import { readBody, withBody } from './body.ts'
import type { AppEnvironment } from './exchange.ts'

/** A key as it is kept: what it hashes to, never what it is. */
export interface KnownKey {
  /** Who has it; stands in the ledger and in messages. */
  readonly name: string
  /** SHA-256, 64 lower-case hexadecimal digits. */
  readonly digest: string
  readonly limits?: Limits | undefined
}

/** Where keys come from: a file, a store on the edge. */
export interface KeyRing {
  /** The keys that open the server now. Asked for each request, so it should remember. */
  keys(): Promise<readonly KnownKey[]>
  /** Keys are asked for even while there are none, so that nobody gets in. */
  readonly isRequired?: boolean | undefined
}

/** What the keys that a request brought are worth. */
export type KeyVerdict = 'accepted' | 'missing' | 'wrong'

export interface CheckedKey {
  readonly verdict: KeyVerdict
  /** Who asks, when it is accepted: the name of the key, or what else tells callers apart. */
  readonly caller?: string | undefined
  /** Absent where none is needed. */
  readonly key?: KnownKey | undefined
}

export type CheckKey = (headers: Headers) => Promise<CheckedKey>

/**
 * Checks the key of a request, in whichever header its vendor puts it. While there are no keys everything is accepted;
 * once there was one it never is again. Digests are compared, all of them and to the end, so that the time taken tells
 * nothing of a key. Plain keys are called `key-1`, `key-2`, …
 */
export function keyCheck(plainKeys: readonly string[], ring?: KeyRing): CheckKey {
  // Not before the first request: a Worker may not compute anything while it is loaded.
  let digested: Promise<readonly KnownKey[]> | undefined
  let anonymous: NameStranger | undefined
  let isGuarded = plainKeys.length > 0 || ring?.isRequired === true

  return async (headers) => {
    digested ??= Promise.all(plainKeys.map(nameKey))
    const known = [...(await digested), ...((await ring?.keys()) ?? [])]
    isGuarded ||= known.length > 0
    const presented = presentedKeys(headers)
    if (!isGuarded) {
      anonymous ??= strangers()
      return { verdict: 'accepted', caller: await anonymous(presented[0] ?? headers.get('user-agent') ?? '') }
    }
    if (presented.length === 0) return { verdict: 'missing' }
    const key = findKey(await Promise.all(presented.map(digestOf)), known)
    return key ? { verdict: 'accepted', caller: key.name, key } : { verdict: 'wrong' }
  }
}

/** Whether a request brought a key in a header, right or wrong. */
export function hasKey(headers: Headers): boolean {
  return presentedKeys(headers).length > 0
}

/** The SHA-256 of a key, as it is kept. */
export async function digestOf(key: string): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key))).toHex()
}

function presentedKeys(headers: Headers): readonly string[] {
  const bearer = /^bearer\s+(\S.*)$/i.exec(headers.get('authorization')?.trim() ?? '')?.[1]
  return [bearer, headers.get('x-api-key'), headers.get('x-subscription-token')].flatMap((key) =>
    key?.trim() ? [key.trim()] : [],
  )
}

async function nameKey(key: string, index: number): Promise<KnownKey> {
  return { name: `key-${index + 1}`, digest: await digestOf(key) }
}

type NameStranger = (sign: string) => Promise<string>

/** Tells callers apart who need no key. Salted anew in each process, so that no name can be traced to what they sent. */
function strangers(): NameStranger {
  const salt = crypto.randomUUID()
  const names = new Map<string, string>()
  return async (sign) => {
    const known = names.get(sign)
    if (known) return known
    const name = `anonymous:${(await digestOf(`${salt} ${sign}`)).slice(0, 6)}`
    // They are few, or somebody makes them up.
    if (names.size >= 256) names.clear()
    if (sign.length <= 1024) names.set(sign, name)
    return name
  }
}

function findKey(presented: readonly string[], known: readonly KnownKey[]): KnownKey | undefined {
  let found: KnownKey | undefined
  for (const candidate of presented) {
    for (const key of known) if (isSame(candidate, key.digest)) found = key
  }
  return found
}

function isSame(left: string, right: string): boolean {
  let difference = left.length ^ right.length
  for (let index = 0; index < left.length; index++) difference |= left.charCodeAt(index) ^ right.charCodeAt(index)
  return difference === 0
}

/**
 * Lets a key that stands in a JSON body count as one in a header, for vendors whose older clients send it there.
 * A header goes first, and then the body is not looked at.
 */
export function keyInBody(field: string, maximumBytes: number): MiddlewareHandler<AppEnvironment> {
  return async (context, next) => {
    const { raw } = context.req
    if (!raw.body || hasKey(raw.headers)) return next()
    const body = await readBody(raw, maximumBytes)
    const headers = new Headers(raw.headers)
    const key = keyOf(body, field)
    if (key) headers.set('x-api-key', key)
    context.req.raw = withBody(raw, body, headers)
    return next()
  }
}

function keyOf(body: Uint8Array, field: string): string | undefined {
  const sent = parseJson(new TextDecoder().decode(body))
  const key: unknown = typeof sent === 'object' && sent !== null ? Reflect.get(sent, field) : undefined
  // What no header can hold is no key.
  return typeof key === 'string' && /^[\x21-\x7e]+$/.test(key) ? key : undefined
}
