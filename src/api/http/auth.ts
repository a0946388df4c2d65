import { sha256 } from '@csp/lib/bytes'
import { isObject } from '@csp/lib/json'
import type { MiddlewareHandler } from 'hono'
import type { AppEnvironment } from '../exchange/exchange.ts'
import type { KnownKey } from '../exchange/known-key.ts'

/** Where keys come from: a file, a store on the edge. */
export interface KeyRing {
  /**
   * The current keys. Called for each request, so it should cache them; `again` when a key is not among them, since it
   * may be new.
   */
  keys(again?: boolean): Promise<readonly KnownKey[]>
  /** A key is required even while there are none, so that every request is rejected. */
  readonly isRequired?: boolean | undefined
}

/** The result of checking the keys of a request. */
export type KeyVerdict = 'accepted' | 'missing' | 'wrong'

export interface CheckedKey {
  readonly verdict: KeyVerdict
  /** The caller of an accepted request: the name of its key, or another name that tells callers apart. */
  readonly caller?: string | undefined
  /** Absent if none is needed. */
  readonly key?: KnownKey | undefined
}

/** `presented`: a key that stands elsewhere. */
export type CheckKey = (headers: Headers, presented?: string) => Promise<CheckedKey>

/**
 * Checks the key of a request, in any vendor's header. While there are no keys, every request is accepted; once there
 * was a key, one is always required. All digests are compared in full, so that the time reveals nothing about a key.
 * Plain keys are named `key-1`, `key-2`, … `localToken` opens the door as a key does, but its presence closes none: it
 * is how programs of the same user are known, named `local`.
 */
export function keyCheck(plainKeys: readonly string[], ring?: KeyRing, localToken?: string): CheckKey {
  // Not before the first request: a Worker must not compute digests while it loads.
  let digested: Promise<readonly KnownKey[]> | undefined
  let local: Promise<KnownKey> | undefined
  let anonymous: NameAnonymous | undefined
  let isGuarded = ring?.isRequired === true

  return async (headers, elsewhere) => {
    digested ??= Promise.all(plainKeys.map(nameKey))
    local ??= localToken === undefined ? undefined : nameLocal(localToken)
    const known = [...(await digested), ...((await ring?.keys()) ?? [])]
    isGuarded ||= known.length > 0
    const inHeaders = presentedKeys(headers)
    const isElsewhere = isGuarded && inHeaders.length === 0 && elsewhere !== undefined
    const presented = isElsewhere ? [elsewhere] : inHeaders
    if (presented.length === 0 && isGuarded) return { verdict: 'missing' }
    if (isGuarded || local) {
      const digests = await Promise.all(presented.map(digestOf))
      const key =
        findKey(digests, local ? [...known, await local] : known) ??
        (isGuarded ? findKey(digests, (await ring?.keys(true)) ?? []) : undefined)
      if (key) return { verdict: 'accepted', caller: key.name, key }
    }
    if (isGuarded) return { verdict: 'wrong' }
    anonymous ??= anonymousNames()
    return { verdict: 'accepted', caller: await anonymous(presented[0] ?? headers.get('user-agent') ?? '') }
  }
}

/**
 * Whether a request has a key that only a program can have put there, right or wrong. Basic is left out: a browser that
 * was once given an address with a key sends it by itself, whichever page asks.
 */
export function hasKey(headers: Headers): boolean {
  return keysOfPrograms(headers).length > 0
}

/** The SHA-256 of a key, as it is stored. */
export function digestOf(key: string): Promise<string> {
  return sha256(key)
}

function presentedKeys(headers: Headers): readonly string[] {
  return [...keysOfPrograms(headers), ...basicKeys(headers)]
}

/** The key of `http://NAME:KEY@HOST` or `http://KEY@HOST`, for clients that have a field for an address and none for a key. */
function basicKeys(headers: Headers): readonly string[] {
  const [, encoded] = /^basic\s+([\w+/=-]{1,4096})$/i.exec(headers.get('authorization') ?? '') ?? []
  if (!encoded) return []
  try {
    const [, name, password] = /^([^:]*):?(.*)$/s.exec(atob(encoded)) ?? []
    const key = password || name
    return key ? [key] : []
  } catch {
    return []
  }
}

function keysOfPrograms(headers: Headers): readonly string[] {
  const inHeaders = keyHeaders.map((name) => headers.get(name))
  return [keyIn(headers.get('authorization') ?? ''), ...inHeaders].flatMap((key) => key || [])
}

/** Open WebUI sends Jina's key without a scheme. */
function keyIn(text: string): string | undefined {
  const isScheme = /^(bearer|basic)$/i.test(text)
  return /^bearer\s+(\S.*)$/i.exec(text)?.[1] ?? (/\s/.test(text) || isScheme ? undefined : text)
}

/** The headers of Exa and Anthropic, Azure, Brave, Bing, Gemini. */
const keyHeaders = ['x-api-key', 'api-key', 'x-subscription-token', 'ocp-apim-subscription-key', 'x-goog-api-key']

/** The names of all keys, as the ledger and the log have them. */
export async function keyNames(plainKeys: readonly string[], ring?: KeyRing): Promise<readonly string[]> {
  return [...plainKeys.map((_, index) => plainName(index)), ...((await ring?.keys()) ?? []).map(({ name }) => name)]
}

function plainName(index: number): string {
  return `key-${index + 1}`
}

async function nameKey(key: string, index: number): Promise<KnownKey> {
  return { name: plainName(index), digest: await digestOf(key) }
}

async function nameLocal(token: string): Promise<KnownKey> {
  return { name: 'local', digest: await digestOf(token), isLocal: true }
}

type NameAnonymous = (sign: string) => Promise<string>

/**
 * Names callers without a required key. The salt is new in each process, so that a name cannot be traced to a header.
 */
function anonymousNames(): NameAnonymous {
  const salt = crypto.randomUUID()
  const names = new Map<string, string>()
  return async (sign) => {
    const known = names.get(sign)
    if (known) return known
    const name = `anonymous:${(await digestOf(`${salt} ${sign}`)).slice(0, 6)}`
    // There are few, unless a caller makes them up.
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

/**
 * In constant time. Not `timingSafeEqual` of Hono, which hashes both strings before it compares them: these are digests
 * already, and a request is compared with every key.
 */
function isSame(left: string, right: string): boolean {
  let difference = left.length ^ right.length
  for (let index = 0; index < left.length; index++) difference |= left.charCodeAt(index) ^ right.charCodeAt(index)
  return difference === 0
}

/**
 * Reads a key from a JSON body, for vendors whose older clients send it there. A key in a header wins, and then the body
 * is not read, nor where no key is needed. Before the key is known a body may have `maxKeylessBytes`.
 */
export function keyInBody(field: string, checkKey: CheckKey): MiddlewareHandler<AppEnvironment> {
  return async (context, next) => {
    const { raw } = context.req
    if (!raw.body || (await checkKey(raw.headers)).verdict !== 'missing') return next()
    const exchange = context.get('exchange')
    const sent = await exchange.sent.json(maxKeylessBytes)
    const key = isObject(sent) ? sent[field] : undefined
    if (isKey(key)) exchange.presentedKey = key
    return next()
  }
}

/** Reads a key from the query string. One in a header wins. Paths alone are logged. */
export function keyInQuery(parameter: string): MiddlewareHandler<AppEnvironment> {
  return (context, next) => {
    const key = new URL(context.req.url).searchParams.get(parameter)
    if (isKey(key)) context.get('exchange').presentedKey = key
    return next()
  }
}

/** A search with its filters fits many times. */
const maxKeylessBytes = 64 * 1024

/** A text that is not valid in a header is not a key. */
function isKey(key: unknown): key is string {
  return typeof key === 'string' && /^[\x21-\x7e]+$/.test(key)
}
