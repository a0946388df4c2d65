import { createMemoryStorage } from 'ocache'
import { pageKey } from '../layers/page-key.ts'
import type { PageContext } from '../page-reader.ts'
import type { WholePageRequest } from '../whole-page.ts'
import type { FetchReply } from './fetch-page.ts'

/** The reply that a body came in. */
export type KeptReply = Pick<FetchReply, 'url' | 'status' | 'headers' | 'body'> & {
  /** The first address of the form of the page that was fetched. Absent: the page itself. */
  readonly form?: string | undefined
}

/**
 * Keeps the bodies that were fetched for rough reads, in memory: a caller often reads a page that a search has found,
 * which then need not be fetched again.
 */
export class KeptBodies {
  readonly #ttl: number
  readonly #memory = createMemoryStorage({ maxBytes: 32 * 1024 * 1024 })

  /** `ttlSeconds`: how long a body is kept. 0: none is kept. */
  constructor(ttlSeconds: number) {
    this.#ttl = ttlSeconds
  }

  /** True if a body is kept for this request. */
  async has(request: WholePageRequest, context: PageContext): Promise<boolean> {
    return (await this.get(request, context)) !== undefined
  }

  /** The kept body. `undefined` if there is none, or the caller wants a fresh one (`context.cache`). */
  async get(request: WholePageRequest, context: PageContext): Promise<KeptReply | undefined> {
    if ((context.cache ?? 'default') !== 'default') return undefined
    return (await this.#memory.get<KeptReply>(keyOf(request, context))) ?? undefined
  }

  /** Keeps a body, unless the caller forbids it (`no-store`). */
  async keep(request: WholePageRequest, context: PageContext, reply: KeptReply): Promise<void> {
    if (this.#ttl <= 0 || context.cache === 'no-store') return
    const { url, status, headers, body, form } = reply
    await this.#memory.set(keyOf(request, context), { url, status, headers, body, form }, { ttl: this.#ttl })
  }
}

/** Which page is fetched, whatever is made of it. */
function keyOf({ url, language }: WholePageRequest, context: PageContext): string {
  return pageKey({ url, language }, context)
}
