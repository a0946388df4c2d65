import type { WatchCounts } from './health.ts'
import type { Watch, WatchFeed } from './watch.ts'

/** Searches on a schedule. */
export interface Watches {
  list(): Promise<readonly Watch[]>
  feed(id: string): Promise<WatchFeed | undefined>
  counts(): Promise<WatchCounts>
}
