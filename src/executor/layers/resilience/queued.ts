import { attended } from '@csp/lib/attended'
import { deferred } from '@csp/lib/deferred'
import { FairQueue, type Waiter } from '@csp/lib/fair-queue'
import { TokenBucket } from '@csp/lib/rate-limiter'
import { abortError, closedError } from '../../../domain/abort.ts'
import { SearchError } from '../../../domain/error.ts'
import type { ExecutorHealth, LaneHealth, QueueHealth } from '../../../domain/health.ts'
import type { SearchEvents, SearchRequest } from '../../../domain/search.ts'
import { done } from '../../answer/events.ts'
import type { Executor, Layer, Prepared, SearchContext } from '../../executor.ts'
import { layer, nothingReady } from '../layer.ts'
import type { Breaker } from './breaker.ts'
import { Lane } from './lane.ts'
import { timed } from './timed.ts'

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

interface LightLane {
  /** Searches that run in it at once. */
  readonly concurrency: number
  /** Whether a search belongs in it. Asked whenever it could start, since a backend may learn what it can do. */
  takes(request: SearchRequest): boolean
  /**
   * What becomes of a search where all other places are taken. `light`: it is served in this lane, by a backend that is
   * told to spare them. `list`: it ends without a word and without a search, so its answer is put together from a list.
   * `undefined`: it waits.
   */
  relieves?: ((request: SearchRequest) => 'light' | 'list' | undefined) | undefined
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
      prepare: (request, context) => queue.prepare(request, context),
      health: () => queue.health(),
      close: () => queue.close(),
    })
  }
}

/** A search that waits for its place. */
interface Waiting extends Waiter {
  readonly request: SearchRequest
  readonly begin: (place: Lane | 'list') => void
  readonly fail: (error: SearchError) => void
}

class SearchQueue {
  readonly #inner: Executor
  readonly #queue = new FairQueue<Waiting>(patienceMs)
  readonly #rate: TokenBucket
  readonly #main: Lane
  readonly #light: Lane | undefined
  readonly #lightLane: LightLane | undefined
  readonly #capacity: number
  readonly #now: () => number
  #timer: ReturnType<typeof setTimeout> | undefined
  /** What was made ready for writings that have not begun. */
  #prepared = 0
  #closed = false

  constructor(inner: Executor, options: QueuedOptions) {
    const { concurrency = 3, capacity = 100, startsPerSecond = 2, lightLane, now = () => performance.now() } = options
    this.#inner = inner
    this.#main = new Lane(concurrency, now)
    this.#light = lightLane && new Lane(lightLane.concurrency, now)
    this.#lightLane = lightLane
    this.#capacity = capacity
    this.#now = now
    this.#rate = new TokenBucket(startsPerSecond, options.burst ?? Math.floor(startsPerSecond), now)
    options.breaker?.onOpen((refuse) => this.#reject(({ request }) => refuse(request)))
  }

  search(request: SearchRequest, context: SearchContext): SearchEvents {
    return attended(async () => {
      const { trace } = context
      const endWait = trace?.begin('queued')
      const place = await this.#enter(request, context).finally(endWait)
      if (place === 'list') return { items: leftToList(this.#inner.name) }
      const { lane, leave } = place
      const isSparing = lane === this.#light && !this.#isLight(request)
      const events = this.#inner.search(request, isSparing ? { ...context, isSparing } : context)
      return {
        items: trace ? timed(events, () => trace.begin('upstream')) : events,
        onEnd: () => {
          leave(this.#waitingFor(lane).length)
          this.#startNext()
        },
      }
    })
  }

  /** Fails where the writing would find the queue full. What runs and what is ready are never more than there are places. */
  async prepare(request: SearchRequest, context: SearchContext): Promise<Prepared> {
    if (this.#isFullFor(request, context.caller)) throw this.#full(request)
    const lane = this.#laneOf(request)
    if (!this.#inner.prepare || lane.running + this.#prepared >= lane.concurrency) return nothingReady()
    this.#prepared++
    let isReady = true
    const prepared = await this.#inner.prepare(request, context).catch((error) => {
      this.#prepared--
      throw error
    })
    return {
      release: () => {
        if (isReady) this.#prepared--
        isReady = false
        prepared.release()
      },
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

  /** Settles when the search has its place. */
  async #enter(request: SearchRequest, { signal, caller = '' }: SearchContext): Promise<Place | 'list'> {
    if (this.#closed) throw closedError()
    if (signal.aborted) throw abortError(signal)
    const { promise, resolve, reject } = deferred<Place | 'list'>()
    const begin: Waiting['begin'] = (lane) => resolve(lane === 'list' ? lane : { lane, leave: lane.begin() })
    const entry = this.#entry(request, caller, begin, reject)
    this.#queue.add(entry)
    this.#startNext()
    if (this.#queue.size > this.#capacity) this.#rejectAsFull(this.#queue.excess(entry))
    const abort = (): void => {
      this.#queue.remove(entry)
      reject(abortError(signal))
    }
    signal.addEventListener('abort', abort)
    try {
      return await promise
    } finally {
      signal.removeEventListener('abort', abort)
    }
  }

  #entry(request: SearchRequest, caller: string, begin: Waiting['begin'], fail: Waiting['fail']): Waiting {
    return { request, caller, isLong: request.want !== 'results', since: this.#now(), begin, fail }
  }

  /** Whether such a search would be rejected, now that it came. */
  #isFullFor(request: SearchRequest, caller = ''): boolean {
    if (this.#queue.size < this.#capacity || !this.#laneOf(request).isFull) return false
    const entry = this.#entry(
      request,
      caller,
      () => {},
      () => {},
    )
    this.#queue.add(entry)
    const excess = this.#queue.excess(entry)
    this.#queue.remove(entry)
    return excess === entry
  }

  #startNext(): void {
    clearTimeout(this.#timer)
    while (this.#queue.size > 0) {
      const waitMs = this.#rate.waitMs()
      const mayStart = ({ request }: Waiting) => {
        const place = this.#placeFor(request)
        return place === 'list' || (!place.isFull && (waitMs <= 0 || !takesStart(request)))
      }
      const next = this.#queue.take(this.#now(), mayStart)
      if (!next) {
        if (waitMs > 0) this.#timer = setTimeout(() => this.#startNext(), waitMs)
        return
      }
      const place = this.#placeFor(next.request)
      if (place !== 'list' && takesStart(next.request)) this.#rate.take()
      next.begin(place)
    }
  }

  #laneOf(request: SearchRequest): Lane {
    return this.#light && this.#isLight(request) ? this.#light : this.#main
  }

  #isLight(request: SearchRequest): boolean {
    return this.#lightLane?.takes(request) ?? false
  }

  /** Its lane, or what spares it the wait for that. */
  #placeFor(request: SearchRequest): Lane | 'list' {
    const lane = this.#laneOf(request)
    if (!lane.isFull || lane !== this.#main) return lane
    const relief = this.#lightLane?.relieves?.(request)
    return relief === 'light' ? (this.#light ?? lane) : (relief ?? lane)
  }

  #waitingFor(lane: Lane): readonly Waiting[] {
    return [...this.#queue].filter(({ request }) => this.#laneOf(request) === lane)
  }

  #rejectAsFull(waiting: Waiting): void {
    this.#queue.remove(waiting)
    waiting.fail(this.#full(waiting.request))
  }

  #full(request: SearchRequest): SearchError {
    const retryAfterSeconds = Math.max(1, this.#expectedWaitSeconds(this.#laneOf(request)))
    const running = this.#main.running + (this.#light?.running ?? 0)
    const message = `Queue full (${running} running, ${this.#queue.size} queued).`
    return new SearchError('busy', message, { retryAfterSeconds })
  }

  #reject(refuse: (waiting: Waiting) => SearchError | undefined): void {
    for (const waiting of [...this.#queue]) {
      const refusal = refuse(waiting)
      if (!refusal) continue
      this.#queue.remove(waiting)
      waiting.fail(refusal)
    }
  }

  /** How long one more search in a lane would wait. */
  #expectedWaitSeconds(lane: Lane): number {
    const forWork = lane.expectedSeconds(this.#waitingFor(lane).length + 1)
    const forStarts = this.#rate.waitMs(this.#queue.size + 1) / 1000
    return Math.ceil(Math.max(forWork, forStarts))
  }

  #describe(): QueueHealth {
    const { size: waiting, callers, oldest } = this.#queue
    const main = this.#describeLane(this.#main)
    const light = this.#light && this.#describeLane(this.#light)
    return {
      running: main.running + (light?.running ?? 0),
      waiting,
      concurrency: main.concurrency + (light?.concurrency ?? 0),
      capacity: this.#capacity,
      callers,
      estimatedWaitSeconds: Math.max(main.estimatedWaitSeconds, light?.estimatedWaitSeconds ?? 0),
      oldestWaitSeconds: oldest === undefined ? 0 : Math.floor((this.#now() - oldest) / 1000),
      lanes: light && { main, light },
    }
  }

  #describeLane(lane: Lane): LaneHealth {
    const { running, concurrency, isFull } = lane
    const waiting = this.#waitingFor(lane).length
    const isFree = waiting === 0 && !isFull
    return { running, waiting, concurrency, estimatedWaitSeconds: isFree ? 0 : this.#expectedWaitSeconds(lane) }
  }
}

/** A place that a search has got. `leave`: see `Lane.begin`. */
interface Place {
  readonly lane: Lane
  readonly leave: ReturnType<Lane['begin']>
}

/** How a backend says that it makes an answer over a list. */
async function* leftToList(model: string): SearchEvents {
  yield done({ searches: 0, model })
}

/** The rate is that of searches: a text over known pages makes none. */
const takesStart = ({ sources }: SearchRequest) => !sources

/** About as long as a search takes. */
const patienceMs = 10_000
