import type { WatchCounts } from '../domain/health.ts'
import type { FoundEntry, SeenPages, Watch, WatchFeed } from '../domain/watch.ts'

/** Where watches are kept. Several processes may share it. */
export interface WatchStore {
  add(watch: Omit<Watch, 'seen' | 'lastAt' | 'problem'>): void
  list(): readonly Watch[]
  get(id: string): Watch | undefined
  counts(): WatchCounts
  feed(id: string): WatchFeed | undefined
  /** Whether there was one. */
  remove(id: string): boolean
  /** When the next run is due; `undefined` if nothing is watched. */
  nextAt(): number | undefined
  /** A watch that is due. It is due again at `until`, unless its run is kept before. */
  claim(now: number, until: number): Watch | undefined
  /** Keeps what a run has found. */
  keep(id: string, at: number, nextAt: number, entries: readonly FoundEntry[], seen: SeenPages): void
  /** Keeps why a run failed. */
  fail(id: string, nextAt: number, problem: string): void
  close(): void
}
