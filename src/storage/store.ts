import type { StorageInterface } from 'ocache'
import { createStorage, type Driver, type Storage } from 'unstorage'
import { z } from 'zod'

/** A persistent store for the answer cache, which keeps itself small. */
export interface Store extends StorageInterface {
  /** Deletes expired and unusable entries, and the oldest ones while all together exceed the limit. */
  sweep(): Promise<void>
  /** Deletes everything. */
  clear(): Promise<void>
  stats(): Promise<StoreStats>
  /** Releases the driver. */
  close(): Promise<void>
}

export interface StoreStats {
  readonly entries: number
  readonly bytes: number
}

export interface StoreOptions {
  /** Limit for all entries after a sweep, in bytes; 200 MB by default. */
  readonly maxBytes?: number | undefined
  /** Milliseconds since 1970. */
  readonly now?: (() => number) | undefined
}

/**
 * Opens a store on any unstorage driver. Each body is stored in an envelope with its time of expiry, because most
 * drivers have none. An entry that is expired, torn or of another version reads as `null`; a body over 1 MiB is not
 * written.
 */
export function openStore(driver: Driver, { maxBytes = 200e6, now = Date.now }: StoreOptions = {}): Store {
  const storage = createStorage({ driver })

  return {
    maxEntryBytes,

    async get<T>(key: string): Promise<T | null> {
      const envelope = toEnvelope(await storage.getItem(key))
      if (!envelope) return null
      if (isExpired(envelope, now())) {
        await storage.removeItem(key).catch(() => {})
        return null
      }
      // The trust boundary: ocache's interface lets the caller name the type, and the cache checks it with a schema.
      return envelope.body as T
    },

    async set(key, body, options) {
      if (body === null || body === undefined) return storage.removeItem(key)
      const expiresAt = options?.ttl === undefined ? null : now() + options.ttl * 1000
      const text = JSON.stringify({ version, expiresAt, body } satisfies Envelope)
      // What was there before is out of date now, so it may not stay.
      if (sizeOf(text) > maxEntryBytes) return storage.removeItem(key)
      await storage.setItem(key, text, options)
    },

    async sweep() {
      const kept: { readonly key: string; readonly bytes: number; readonly expiresAt: number }[] = []
      for await (const { key, item, bytes } of entriesOf(storage)) {
        const envelope = toEnvelope(item)
        if (!envelope || isExpired(envelope, now())) await storage.removeItem(key)
        else kept.push({ key, bytes, expiresAt: envelope.expiresAt ?? Number.POSITIVE_INFINITY })
      }
      // Entries live equally long, so the one that expires first is the oldest.
      kept.sort((a, b) => a.expiresAt - b.expiresAt)
      let total = sumOf(kept.map(({ bytes }) => bytes))
      for (const { key, bytes } of kept) {
        if (total <= maxBytes) break
        await storage.removeItem(key)
        total -= bytes
      }
    },

    clear: () => storage.clear(),

    async stats() {
      const sizes: number[] = []
      for await (const { bytes } of entriesOf(storage)) sizes.push(bytes)
      return { entries: sizes.length, bytes: sumOf(sizes) }
    },

    close: () => storage.dispose(),
  }
}

const version = 1
const maxEntryBytes = 1024 * 1024

const envelopeSchema = z.object({
  version: z.literal(version),
  /** Milliseconds since 1970. */
  expiresAt: z.number().nullable(),
  body: z.unknown(),
})
type Envelope = z.infer<typeof envelopeSchema>

/**
 * `undefined` for anything but an envelope of this version: a driver returns torn JSON as text, and may return an
 * `Error`.
 */
function toEnvelope(item: unknown): Envelope | undefined {
  return envelopeSchema.safeParse(item).data
}

function isExpired({ expiresAt }: Envelope, now: number): boolean {
  return expiresAt !== null && expiresAt <= now
}

/** Every entry of the store, one by one, so that they are never all in memory. */
async function* entriesOf(storage: Storage): AsyncGenerator<{ key: string; item: unknown; bytes: number }> {
  for (const key of await storage.getKeys()) {
    const item = await storage.getItem(key)
    yield { key, item, bytes: sizeOf(JSON.stringify(item)) }
  }
}

function sizeOf(text: string): number {
  return new TextEncoder().encode(text).length
}

function sumOf(sizes: readonly number[]): number {
  return sizes.reduce((sum, size) => sum + size, 0)
}
