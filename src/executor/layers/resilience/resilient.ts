import type { SearchRequest } from '../../../domain/search.ts'
import type { Layer } from '../../executor.ts'
import { Breaker } from './breaker.ts'
import { guarded } from './circuit-breaking.ts'
import { timed } from './deadline.ts'
import { queued } from './queued.ts'
import { retried } from './retried.ts'

export interface ResilientOptions {
  /** Searches that run at once. */
  readonly concurrency?: number | undefined
  /** Searches that may wait. */
  readonly capacity?: number | undefined
  /** Searches that may start within a second. 0: no limit. */
  readonly startsPerSecond?: number | undefined
  /** For one search with all its tries, waiting in line aside. 0: no deadline. */
  readonly timeoutMs: number
  /** Tries after the first. */
  readonly retries?: number | undefined
  /** What a usage limit of the backend holds for. Absent: one for all requests. */
  readonly limitOf?: ((request: SearchRequest) => string) | undefined
  /** One that others share. Absent: one of its own. */
  readonly breaker?: Breaker | undefined
}

/**
 * What stands before each backend: a breaker, a line, a deadline and second tries, from the outside in. Whoever is
 * refused is so at once, not after a wait in line; the deadline counts the tries, not the wait.
 */
export function resilient(options: ResilientOptions): Layer {
  const { timeoutMs, retries, limitOf } = options
  // A try that begins later than this has no time to finish.
  const giveUpAfterMs = timeoutMs > 0 ? timeoutMs / 2 : undefined
  return (inner) => {
    const breaker = options.breaker ?? new Breaker({ name: inner.name, limitOf })
    const line = queued({ ...options, breaker })
    return guarded(breaker, line)(timed({ timeoutMs })(retried({ retries, giveUpAfterMs })(inner)))
  }
}
