import { messageOf } from '@csp/lib/errors'
import { defineDriver } from 'unstorage'
import cloudflareKv from 'unstorage/drivers/cloudflare-kv-binding'

/** The part of a Workers KV namespace that is used here. */
export interface KvNamespace {
  get(key: string): Promise<string | null>
  put(key: string, value: string, options?: { readonly expirationTtl?: number | undefined }): Promise<void>
  delete(key: string): Promise<void>
  list(options: { readonly prefix?: string | undefined; readonly cursor?: string | undefined }): Promise<unknown>
}

export interface KvOptions {
  readonly namespace: KvNamespace
  /** Milliseconds since 1970. */
  readonly now?: (() => number) | undefined
}

/**
 * An unstorage driver on a Workers KV namespace. KV wants whole seconds, 60 at least, and a plan has only so many
 * writes a day: when KV refuses one for that, none is tried for a minute, or until the day is over if it says so.
 * Meanwhile a write throws at once, and costs nothing.
 */
export const kv = defineDriver(({ namespace, now = Date.now }: KvOptions) => {
  const { hasItem, getItem, setItem, removeItem, getKeys, clear } = cloudflareKv({ binding: namespace })
  let closedUntil = 0

  async function write(work: () => unknown): Promise<void> {
    if (now() < closedUntil) {
      throw new Error(`KV has refused writes; the next one is tried at ${new Date(closedUntil).toISOString()}.`)
    }
    try {
      await work()
    } catch (error) {
      closedUntil = Math.max(closedUntil, reopensAt(error, now()))
      throw error
    }
  }

  return {
    name: 'kv',
    hasItem,
    getItem,
    getKeys,
    clear: (base, options) => clear?.(base, options),
    setItem: (key, value, { ttl } = {}) =>
      write(() => setItem?.(key, value, ttl === undefined ? {} : { ttl: Math.ceil(ttl) })),
    removeItem: (key) => write(() => removeItem?.(key, {})),
  }
})

const minuteMs = 60_000
const dayMs = 86_400_000

/** When KV may take writes again after this failure: at once, unless there were too many. The day of a plan is UTC's. */
function reopensAt(error: unknown, now: number): number {
  const message = messageOf(error)
  if (/limit exceeded for the day/i.test(message)) return (Math.floor(now / dayMs) + 1) * dayMs
  return /\b429\b|too many requests/i.test(message) ? now + minuteMs : 0
}
