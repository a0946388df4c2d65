import type { MessagesRequest } from '@csp/messages-api/request'
import { toUpstreamError, type UpstreamError } from '@csp/messages-api/upstream-error'
import { hashOf } from '../hash.ts'
import type { NativeUpstream } from '../native/native.ts'
import type { Upstream } from '../upstream.ts'
import { beginOrFail } from './call.ts'

/** A key that is not asked for a while. */
export interface RestingKey {
  /** Names it without telling it: `…x7Qd`. */
  readonly name: string
  readonly why: 'quota' | 'rate limit' | 'rejected'
  readonly secondsLeft: number
}

export interface KeyRingOptions {
  readonly keys: readonly string[]
  /** Called when a key begins to rest. */
  readonly log?: ((message: string) => void) | undefined
  /** Monotonic time, ms. */
  readonly now?: (() => number) | undefined
}

/** Several keys of one provider: which one a request takes, and which ones rest. */
export class KeyRing {
  readonly #names: readonly string[]
  readonly #rests = new Map<number, { readonly why: RestingKey['why']; readonly until: number }>()
  readonly #log: (message: string) => void
  readonly #now: () => number

  constructor({ keys, log = () => {}, now = () => performance.now() }: KeyRingOptions) {
    this.#names = keys.map(nameOfKey)
    this.#log = log
    this.#now = now
  }

  /**
   * The keys for a request, in the order in which they are tried. A conversation keeps its first one, whose account has its
   * cache, until that one rests. Where all rest, the one whose rest is over first is tried.
   */
  orderFor(request: MessagesRequest): readonly number[] {
    const conversation = conversationOf(request)
    const ranked = this.#names
      .map((_, index) => ({ index, rank: mixed(hashOf(`${index} ${conversation}`)) }))
      .toSorted((a, b) => a.rank - b.rank)
      .map(({ index }) => index)
    const awake = ranked.filter((index) => this.#msLeft(index) === 0)
    if (awake.length > 0) return awake
    return ranked.toSorted((a, b) => this.#msLeft(a) - this.#msLeft(b)).slice(0, 1)
  }

  /** Whether a failure is of this key alone: then it rests, and another one may be tried. */
  isOfKey(index: number, failure: UpstreamError): boolean {
    const why = reasonOf(failure)
    if (why === undefined) return false
    const seconds = why === 'rate limit' ? (failure.retryAfterSeconds ?? usualRateSeconds) : longSeconds
    this.#rests.set(index, { why, until: this.#now() + seconds * 1000 })
    this.#log(`The key ${this.#names[index]} rests for ${seconds} s (${why}): ${failure.message}`)
    return true
  }

  get resting(): readonly RestingKey[] {
    return this.#names.flatMap((name, index) => {
      const msLeft = this.#msLeft(index)
      const why = this.#rests.get(index)?.why
      return why && msLeft > 0 ? [{ name, why, secondsLeft: Math.ceil(msLeft / 1000) }] : []
    })
  }

  #msLeft(index: number): number {
    return Math.max(0, (this.#rests.get(index)?.until ?? 0) - this.#now())
  }
}

/** One upstream over several that differ in their keys. Another key is tried before the first event only. */
export function keyedUpstream(ring: KeyRing, upstreams: readonly Upstream[]): Upstream {
  const [first] = upstreams
  if (!first) throw new Error('There is no key.')
  return {
    name: first.name,
    async *send(request, context) {
      const order = ring.orderFor(request)
      for (const [place, index] of order.entries()) {
        const failure = yield* beginOrFail((upstreams[index] ?? first).send(request, context))
        if (!failure) return
        if (!ring.isOfKey(index, failure) || place === order.length - 1 || context.signal.aborted) throw failure
      }
    },
    countTokens: async (request, context) => upstreams[ring.orderFor(request)[0] ?? 0]?.countTokens?.(request, context),
    async close() {
      await Promise.all(upstreams.map((upstream) => upstream.close()))
    },
  }
}

/** The same for a server that speaks the Messages API, whose replies may pass through it as bytes. */
export function keyedNative(ring: KeyRing, upstreams: readonly NativeUpstream[]): NativeUpstream {
  const [first] = upstreams
  if (!first) throw new Error('There is no key.')
  const { name, send, close } = keyedUpstream(ring, upstreams)
  return {
    name,
    send,
    close,
    speaksMessages: () => first.speaksMessages(),
    async countTokens(request, context) {
      const [index = 0] = ring.orderFor(request as MessagesRequest)
      return (upstreams[index] ?? first).countTokens(request, context)
    },
    async forward(request, context) {
      const order = ring.orderFor(request)
      for (const [place, index] of order.entries()) {
        try {
          return await (upstreams[index] ?? first).forward(request, context)
        } catch (error) {
          const failure = toUpstreamError(error)
          if (!ring.isOfKey(index, failure) || place === order.length - 1 || context.signal.aborted) throw failure
        }
      }
      return first.forward(request, context)
    },
  }
}

const longSeconds = 3600
const usualRateSeconds = 60

function reasonOf({ status, type }: UpstreamError): RestingKey['why'] | undefined {
  if (status === 402 || type === 'billing_error') return 'quota'
  if (status === 401) return 'rejected'
  return status === 429 ? 'rate limit' : undefined
}

/** The end of a key, where that tells little of it. */
export function nameOfKey(key: string, index: number): string {
  return key.length >= minLength ? `…${key.slice(-4)}` : `number ${index + 1}`
}

const minLength = 16

/** Spreads hashes of texts that are nearly alike (the end of MurmurHash3). */
function mixed(hash: number): number {
  const first = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  const second = Math.imul(first ^ (first >>> 13), 0xc2b2ae35)
  return (second ^ (second >>> 16)) >>> 0
}

/** What the requests of a conversation have in common: the session, or how it begins. */
function conversationOf({ metadata, messages = [] }: Partial<MessagesRequest>): string {
  if (metadata?.user_id) return metadata.user_id
  const content = messages[0]?.content ?? ''
  const text = typeof content === 'string' ? content : (content.find(({ type }) => type === 'text')?.['text'] ?? '')
  return String(text).slice(0, maxBeginning)
}

const maxBeginning = 2000
