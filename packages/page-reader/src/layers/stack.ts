import { cutting } from '../cut-page.ts'
import type { PageReader } from '../page-reader.ts'
import type { PageLayer, WholePageReader } from '../whole-page.ts'
import { cached, type PageCacheOptions } from './cached.ts'
import { deadline } from './deadline.ts'
import { owned, type PageScope } from './page-key.ts'
import { type PageQueueOptions, queued } from './queued.ts'
import { shared } from './shared.ts'

export type { PageCacheOptions } from './cached.ts'
export type { PageScope } from './page-key.ts'
export type { PageQueueOptions } from './queued.ts'

/** The options of the layers. */
export interface PageStackOptions {
  /** `all` by default. */
  readonly scope?: PageScope | undefined
  readonly cache: PageCacheOptions
  /** Absent if no memory is kept. */
  readonly memory?: PageLayer | undefined
  readonly queue: PageQueueOptions
  /** For one page, its wait in the queue included; 30 s by default. */
  readonly timeoutMs?: number | undefined
}

/**
 * The layers around what reads pages. The order, outermost first, and why:
 *
 * 1. cutting: one kept page serves every part and format of it.
 * 2. owner: with scope `key`, the layers below know a caller's own pages only.
 * 3. sharing: equal requests take one place in the queue. Outside of the cache, so that a read ends when its page is
 *    kept: a request that comes then finds it.
 * 4. cache: a page that is known costs nothing, so it comes before whatever limits.
 * 5. memory: what was fetched.
 * 6. deadline: its callers wait in the queue as well, so that counts.
 * 7. queue: innermost, so that a place is held only while a page is read.
 */
export function createPageStack(
  reader: WholePageReader,
  { scope = 'all', cache, memory, queue, timeoutMs = 30_000 }: PageStackOptions,
): PageReader {
  const recorder = memory ? [memory] : []
  const layers: readonly PageLayer[] = [
    ...[owned(scope), shared, cached(cache)],
    ...[...recorder, deadline(timeoutMs), queued(queue)],
  ]
  return cutting(layers.reduceRight((inner, layer) => layer(inner), reader))
}
