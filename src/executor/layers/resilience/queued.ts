import { abortError } from '../../../domain/abort.ts'
import { SearchError } from '../../../domain/error.ts'
import type { ExecutorHealth, QueueHealth } from '../../../domain/health.ts'
import type { SearchEvents, SearchRequest } from '../../../domain/search.ts'
import { deferred } from '../../../lib/deferred.ts'
import { RateLimiter } from '../../../lib/rate-limiter.ts'
import type { Executor, Layer, SearchContext } from '../../executor.ts'
import { layer } from '../layer.ts'
import type { Breaker } from './breaker.ts'
import { FairQueue, type Waiter } from './fair-queue.ts'

export interface QueueLimits {
  /** Searches that run at once; 3 by default. */
  readonly concurrency?: number | undefined
  /** Searches that may wait; 100 by default. */
  readonly capacity?: number | undefined
  /** Searches that may start within a second; 2 by default. 0: no limit. */
  readonly startsPerSecond?: number | undefined
}

export interface QueuedOptions extends QueueLimits {
  /** When it opens, the waiting searches that it refuses are rejected. */
  readonly breaker?: Pick<Breaker, 'onOpen'> | undefined
  /** Monotonic time, ms. */
  readonly now?: (() => number) | undefined
}

/**
 * A queue before the backend: callers take turns, result lists go before written answers. When it is full, a new search
 * fails with `busy`; or, when another caller has more searches in the queue, the last one of the caller with the most.
 * The place of a search is free again when its iterator has settled.
 */
export function queued(options: QueuedOptions = {}): Layer {
  return (inner) => {
    const queue = new SearchQueue(inner, options)
    return layer(inner, {
      search: (request, context) => queue.search(request, context),
      health: () => queue.health(),
      close: () => queue.close(),
    })
  }
}

/** A search that waits for its place. */
interface Waiting extends Waiter {
  readonly request: SearchRequest
  readonly begin: () => void
  readonly fail: (error: SearchError) => void
}

class SearchQueue {
  readonly #inner: Executor
  readonly #queue = new FairQueue<Waiting>(patienceMs)
  readonly #rate: RateLimiter
  readonly #concurrency: number
  readonly #capacity: number
  readonly #startsPerSecond: number
  readonly #now: () => number
  #running = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #closed = false
  /** A moving average; the first value is a guess. */
  #secondsPerSearch = 10
  /** When the last searches ended while others waited: the pace at which the queue moves. */
  #ends: readonly number[] = []

  constructor(inner: Executor, options: QueuedOptions) {
    this.#inner = inner
    this.#concurrency = options.concurrency ?? 3
    this.#capacity = options.capacity ?? 100
    this.#startsPerSecond = options.startsPerSecond ?? 2
    this.#now = options.now ?? (() => performance.now())
    this.#rate = new RateLimiter(this.#startsPerSecond, this.#now)
    options.breaker?.onOpen((refuse) => this.#reject(({ request }) => refuse(request)))
  }

  async *search(request: SearchRequest, context: SearchContext): SearchEvents {
    const endWait = context.trace?.begin('queued')
    await this.#enter(request, context).finally(endWait)
    const endWork = context.trace?.begin('upstream')
    const startedAt = this.#now()
    try {
      yield* this.#inner.search(request, context)
    } finally {
      this.#secondsPerSearch += ((this.#now() - startedAt) / 1000 - this.#secondsPerSearch) / 5
      this.#running--
      this.#ends = this.#queue.size > 0 ? [...this.#ends, this.#now()].slice(-maxEnds) : []
      endWork?.()
      this.#startNext()
    }
  }

  async health(): Promise<ExecutorHealth> {
    return { ...(await this.#inner.health()), queue: this.#describe() }
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    this.#reject(closedError)
    await this.#inner.close()
  }

  /** Settles when the search has its place: the best that one of its callers has. */
  async #enter(request: SearchRequest, { signal, caller = '', joined }: SearchContext): Promise<void> {
    if (this.#closed) throw closedError()
    if (signal.aborted) throw abortError(signal)
    const { promise, resolve, reject } = deferred<void>()
    const since = this.#now()
    const entries: Waiting[] = []
    const leave = (): void => {
      for (const entry of entries.splice(0)) this.#queue.remove(entry)
    }
    const add = (name: string): Waiting => {
      const entry: Waiting = {
        request,
        caller: name,
        isLong: request.want !== 'results',
        since,
        begin() {
          leave()
          resolve()
        },
        fail(error) {
          entries.splice(entries.indexOf(entry), 1)
          if (entries.length === 0) reject(error)
        },
      }
      entries.push(entry)
      this.#queue.add(entry)
      return entry
    }
    const first = add(caller)
    this.#startNext()
    if (this.#queue.size > this.#capacity) this.#rejectAsFull(this.#queue.excess(first))
    const endJoining = joined?.onJoin((name) => {
      if (entries.length === 0 || this.#queue.size >= this.#capacity) return
      add(name)
      this.#startNext()
    })
    const abort = (): void => {
      leave()
      reject(abortError(signal))
    }
    signal.addEventListener('abort', abort, { once: true })
    try {
      await promise
    } finally {
      endJoining?.()
      signal.removeEventListener('abort', abort)
    }
  }

  #startNext(): void {
    clearTimeout(this.#timer)
    while (this.#running < this.#concurrency && this.#queue.size > 0) {
      const now = this.#now()
      const waitMs = this.#rate.waitMs()
      if (waitMs > 0) {
        this.#timer = setTimeout(() => this.#startNext(), waitMs)
        return
      }
      this.#rate.note()
      this.#running++
      this.#queue.take(now)?.begin()
    }
  }

  #rejectAsFull(waiting: Waiting): void {
    this.#queue.remove(waiting)
    const retryAfterSeconds = Math.max(1, this.#expectedWaitSeconds())
    const message = `Queue full (${this.#running} running, ${this.#queue.size} queued). Try again in ${retryAfterSeconds} s.`
    waiting.fail(new SearchError('busy', message, { retryAfterSeconds }))
  }

  #reject(refuse: (waiting: Waiting) => SearchError | undefined): void {
    for (const waiting of [...this.#queue]) {
      const refusal = refuse(waiting)
      if (!refusal) continue
      this.#queue.remove(waiting)
      waiting.fail(refusal)
    }
  }

  /** How long the queue takes to move on: at its own pace where that is known, otherwise estimated from recent searches. */
  #expectedWaitSeconds(): number {
    const searches = this.#queue.size + 1
    const forWork = (searches * this.#secondsPerSearch) / this.#concurrency
    const forStarts = this.#startsPerSecond > 0 ? searches / this.#startsPerSecond : 0
    const [first = 0] = this.#ends
    const isPaceKnown = this.#ends.length >= minEnds
    const pace = ((this.#ends.at(-1) ?? 0) - first) / 1000 / (this.#ends.length - 1)
    return Math.ceil(Math.max(isPaceKnown ? searches * pace : forWork, forStarts))
  }

  #describe(): QueueHealth {
    const { size: waiting, callers, oldest } = this.#queue
    const isFree = waiting === 0 && this.#running < this.#concurrency
    return {
      running: this.#running,
      waiting,
      concurrency: this.#concurrency,
      capacity: this.#capacity,
      callers,
      estimatedWaitSeconds: isFree ? 0 : this.#expectedWaitSeconds(),
      oldestWaitSeconds: oldest === undefined ? 0 : Math.floor((this.#now() - oldest) / 1000),
    }
  }
}

/** Of ends that make a pace. */
const minEnds = 4
const maxEnds = 20
/** About as long as a search takes. */
const patienceMs = 10_000

function closedError(): SearchError {
  return new SearchError('unavailable', 'The server is shutting down.')
}
