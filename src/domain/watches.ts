import type { SearchErrorCode } from './error.ts'
import type { WatchCounts } from './health.ts'
import type { MonitorDraft, MonitorSettings } from './monitor.ts'
import type { SearchResult } from './search.ts'
import type { Watch, WatchFeed } from './watch.ts'

/** Searches on a schedule. */
export interface Watches {
  list(): Promise<readonly Watch[]>
  /** `undefined` for a monitor: its id is in the addresses of the API and in what is sent to webhooks. */
  feed(id: string): Promise<WatchFeed | undefined>
  counts(): Promise<WatchCounts>
  readonly monitors: Monitors
}

/** A watch that a caller made. */
export type Monitor = Watch & { readonly monitor: MonitorSettings }

/** One run of a monitor. All times are milliseconds since 1970. */
export interface MonitorRun {
  readonly id: string
  readonly monitor: string
  readonly status: 'pending' | 'running' | 'completed' | 'failed'
  readonly createdAt: number
  readonly startedAt?: number | undefined
  readonly endedAt?: number | undefined
  readonly failure?: { readonly code: SearchErrorCode; readonly message: string } | undefined
  /** What no earlier run had found, with those passages alone that are new. */
  readonly results?: readonly SearchResult[] | undefined
  /** What a model wrote of it. Absent if nothing is new, or nothing could be written. */
  readonly summary?: MonitorSummary | undefined
  /** Absent if the address wants to know nothing of it. */
  readonly delivery?: MonitorDelivery | undefined
}

/** A text over the results of a run. */
export interface MonitorSummary {
  readonly text: string
  readonly cited: readonly Pick<SearchResult, 'url' | 'title'>[]
  /** How its sentences compare with the pages that they cite. */
  readonly confidence: 'low' | 'medium' | 'high'
}

/** Whether the address has been told. */
export interface MonitorDelivery {
  readonly status: 'pending' | 'delivered' | 'failed'
  readonly attempts: number
  readonly problem?: string | undefined
}

/** The watches of callers. Whoever calls it compares owners. */
export interface Monitors {
  /** Throws `busy` if there are too many, and a `PageError` for an address that may not be told. */
  create(draft: MonitorDraft): Promise<Monitor>
  get(id: string): Promise<Monitor | undefined>
  /** The newest first. */
  list(owner: string): Promise<readonly Monitor[]>
  /** Throws as `create` does. */
  update(monitor: Monitor, draft: MonitorDraft): Promise<Monitor>
  remove(monitor: Monitor): Promise<void>
  /** Runs it as soon as there is time. `false` where a run waits already, or it is disabled. */
  trigger(monitor: Monitor): Promise<boolean>
  /** The last ones, the newest first. */
  runs(monitor: Monitor): Promise<readonly MonitorRun[]>
}
