import { raced } from '@csp/lib/abort'
import { sha256 } from '@csp/lib/bytes'
import { createMemoryStorage, type StorageInterface } from 'ocache'
import { z } from 'zod'
import { extractedSchema } from '../extract/extracted.ts'
import { toPageError } from '../page-failure.ts'
import type { PageContext } from '../page-reader.ts'
import type { PageLayer, WholePage, WholePageReader, WholePageRequest } from '../whole-page.ts'
import { pageKey } from './page-key.ts'

export interface PageCacheOptions {
  /** How long a page is kept. 0: pages are not kept. */
  readonly ttlSeconds: number
  /** Keeps pages beyond the life of the cache. Absent: in memory only. */
  readonly storage?: StorageInterface | undefined
}

/**
 * Keeps whole pages, in memory and in a store behind it. Errors are not kept. A store that fails, hangs or returns
 * something malformed costs a miss and nothing else.
 */
export function cached(options: PageCacheOptions): PageLayer {
  if (options.ttlSeconds <= 0) return (inner) => inner
  return (inner) => new CachedReader(inner, options)
}

type Storage = StorageInterface | undefined

class CachedReader implements WholePageReader {
  readonly #inner: WholePageReader
  readonly #memory = createMemoryStorage({ maxBytes: 32 * 1024 * 1024 })
  readonly #storage: Storage
  readonly #ttl: number
  readonly #writes = new Set<Promise<void>>()

  constructor(inner: WholePageReader, { storage, ttlSeconds }: PageCacheOptions) {
    this.#inner = inner
    this.#storage = storage
    this.#ttl = ttlSeconds
  }

  async read(request: WholePageRequest, context: PageContext): Promise<WholePage> {
    if (context.cache === 'no-store') return this.#inner.read(request, context)
    const key = await storageKey(request, context)
    // A rough page is soon read again, and its body is in memory.
    const storage = request.isRough && !context.isLasting ? undefined : this.#storage
    if (context.cache !== 'no-cache') {
      // A page that was read with care serves where a rough one would do.
      const better = request.isRough ? await this.#near({ ...request, isRough: false }, context) : undefined
      const known = better ?? (await this.#find(key, storage, context.signal))
      if (known) return known
    }
    const page = await this.#inner.read(request, context)
    this.#keep(key, storage, page)
    return page
  }

  async close(): Promise<void> {
    await this.#inner.close()
    await Promise.all(this.#writes)
  }

  async #near(request: WholePageRequest, context: PageContext): Promise<WholePage | undefined> {
    return (await this.#memory.get<WholePage>(await storageKey(request, context))) ?? undefined
  }

  async #find(key: string, storage: Storage, signal: AbortSignal): Promise<WholePage | undefined> {
    const near = await this.#memory.get<WholePage>(key)
    if (near) return near
    if (!storage) return undefined
    const reading = Promise.resolve(storage.get(key))
    const stored = await raced(reading, AbortSignal.any([signal, AbortSignal.timeout(storeTimeoutMs)])).catch(
      () => null,
    )
    if (signal.aborted) throw toPageError(undefined, signal)
    // How much longer the store would keep it is not known here, so it is not put into memory.
    return wholePageSchema.safeParse(stored).data
  }

  #keep(key: string, storage: Storage, page: WholePage): void {
    this.#memory.set(key, page, { ttl: this.#ttl })
    const { markdown, text, html } = page.contents
    if (!storage || markdown.length + text.length + html.length > maxStoredCharacters) return
    const writing = Promise.resolve(storage.set(key, page, { ttl: this.#ttl }))
    const write = raced(writing, AbortSignal.timeout(storeTimeoutMs))
      .catch(() => {})
      .finally(() => this.#writes.delete(write))
    this.#writes.add(write)
  }
}

/** Writing a larger one would keep the server from others for too long, and stores take no entries over 1 MiB. */
const maxStoredCharacters = 900_000
const storeTimeoutMs = 250

const wholePageSchema = extractedSchema.extend({ finalUrl: z.string(), status: z.number() })

/** As stores take it: `v1:` and the 64 hexadecimal digits of its SHA-256. */
async function storageKey(request: WholePageRequest, context: PageContext): Promise<string> {
  return `v1:${await sha256(`page ${pageKey(request, context)}`)}`
}
