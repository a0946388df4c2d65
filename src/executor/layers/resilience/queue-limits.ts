import type { SearchRequest } from '../../../domain/search.ts'
import type { Breaker } from './breaker.ts'

export interface QueueLimits {
  /** Searches that run at once; 3 by default. */
  readonly concurrency?: number | undefined
  /** Searches that may wait; 100 by default. */
  readonly capacity?: number | undefined
  /** Searches that may start in a second, on average; 2 by default. 0: no limit. */
  readonly startsPerSecond?: number | undefined
  /** Searches that may start at once after a pause; by default those of a second. */
  readonly burst?: number | undefined
  /** For searches that cost the backend little, a lane beside the others'. They have one queue, and turns, in common. */
  readonly lightLane?: LightLane | undefined
}

export interface LightLane {
  /** Searches that run in it at once. */
  readonly concurrency: number
  /** Whether a search belongs in it. Asked whenever it could start, since a backend may learn what it can do. */
  takes(request: SearchRequest): boolean
}

export interface QueuedOptions extends QueueLimits {
  /** When it opens, the waiting searches that it refuses are rejected. */
  readonly breaker?: Pick<Breaker, 'onOpen'> | undefined
  /** Monotonic time, ms. */
  readonly now?: (() => number) | undefined
}
