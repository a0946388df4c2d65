import PQueue from 'p-queue'
import { SearchError } from '../domain/error.ts'
import type { SearchEvent, SearchRequest } from '../domain/search.ts'
import { abortError } from './abort-error.ts'
import type { Executor, ExecutorHealth, Layer, SearchContext } from './executor.ts'

export interface QueuedOptions {
  /** Searches that run at once; 3 by default. */
  readonly concurrency?: number | undefined
  /** Searches that may wait; 100 by default. */
  readonly capacity?: number | undefined
  /** Searches that may start within a second; 2 by default. 0: no limit. */
  readonly startsPerSecond?: number | undefined
  /** Milliseconds of a clock that never goes back. */
  readonly now?: (() => number) | undefined
}

/**
 * A line before the backend: first come, first served, result lists before written answers. A search that finds the
 * line full fails with `busy`. The place of a search is free again when its iterator has settled.
 */
export function queued(options: QueuedOptions = {}): Layer {
  return (inner) => new QueuedExecutor(inner, options)
}

class QueuedExecutor implements Executor {
  readonly name: string
  readonly #inner: Executor
  readonly #queue: PQueue
  readonly #concurrency: number
  readonly #capacity: number
  readonly #startsPerSecond: number
  readonly #now: () => number
  #closed = false
  /** A moving average; the first value is a guess. */
  #secondsPerSearch = 10

  constructor(inner: Executor, options: QueuedOptions) {
    this.name = inner.name
    this.#inner = inner
    this.#concurrency = options.concurrency ?? 3
    this.#capacity = options.capacity ?? 100
    this.#startsPerSecond = options.startsPerSecond ?? 2
    this.#now = options.now ?? (() => performance.now())
    this.#queue = new PQueue({ concurrency: this.#concurrency, ...rateLimit(this.#startsPerSecond) })
  }

  async *search(request: SearchRequest, context: SearchContext): AsyncGenerator<SearchEvent, void, undefined> {
    const release = await this.#enter(request, context.signal)
    const startedAt = this.#now()
    try {
      yield* this.#inner.search(request, context)
    } finally {
      this.#secondsPerSearch += ((this.#now() - startedAt) / 1000 - this.#secondsPerSearch) / 5
      await release()
    }
  }

  async health(): Promise<ExecutorHealth> {
    const { pending: running, size: waiting } = this.#queue
    const queue = { running, waiting, concurrency: this.#concurrency, capacity: this.#capacity }
    return { ...(await this.#inner.health()), queue }
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#queue.clear()
    await this.#inner.close()
  }

  /** Waits for a place, and gives the function that frees it and waits until it is free. */
  async #enter(request: SearchRequest, signal: AbortSignal): Promise<() => Promise<void>> {
    if (this.#closed) throw closedError()
    if (signal.aborted) throw abortError(signal)
    const place = Promise.withResolvers<() => void>()
    // The caller's own signal would free the place at once, while the work is still being stopped.
    const leaving = new AbortController()
    let hasStarted = false
    const leave = (): void => {
      if (!hasStarted) leaving.abort()
    }
    const hold = (): Promise<void> => {
      hasStarted = true
      return new Promise((release) => place.resolve(release))
    }
    const priority = request.want === 'results' ? 1 : 0
    signal.addEventListener('abort', leave, { once: true })
    const held = this.#queue.add(hold, { priority, signal: leaving.signal })
    held.catch(place.reject)
    // A search that can start has started by now, so what is in the queue has to wait.
    const isTooMany = !hasStarted && this.#queue.size > this.#capacity
    if (isTooMany) leave()
    try {
      const release = await place.promise
      return () => {
        release()
        return held
      }
    } catch (error) {
      if (signal.aborted) throw abortError(signal)
      if (isTooMany) throw this.#busyError()
      throw this.#closed ? closedError() : error
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }

  /** Says when the line will have moved on, as far as the recent searches tell. */
  #busyError(): SearchError {
    const searches = this.#queue.size + 1
    const forWork = (searches * this.#secondsPerSearch) / this.#concurrency
    const forStarts = this.#startsPerSecond > 0 ? searches / this.#startsPerSecond : 0
    const retryAfterSeconds = Math.max(1, Math.ceil(Math.max(forWork, forStarts)))
    const { pending, size } = this.#queue
    const message = `The line is full: ${pending} searches run and ${size} wait. Try again in ${retryAfterSeconds} s.`
    return new SearchError('busy', message, { retryAfterSeconds })
  }
}

function closedError(): SearchError {
  return new SearchError('unavailable', 'The server is shutting down.')
}

/** The first searches after a pause start at once; no second then sees more starts than allowed. */
function rateLimit(startsPerSecond: number): { interval?: number; intervalCap?: number; strict?: boolean } {
  if (startsPerSecond <= 0) return {}
  // The cap is a whole number, so the interval makes up for a fraction.
  const intervalCap = Math.max(1, Math.floor(startsPerSecond))
  return { interval: (intervalCap * 1000) / startsPerSecond, intervalCap, strict: true }
}
