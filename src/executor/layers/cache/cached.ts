import { attended } from '@csp/lib/attended'
import { abortError, closedError, interruptible } from '../../../domain/abort.ts'
import { AnswerFold, replay } from '../../../domain/answer.ts'
import { SearchError, toSearchError, traitsOf } from '../../../domain/error.ts'
import type { ExecutorHealth } from '../../../domain/health.ts'
import type { CacheStatus, SearchEvent, SearchEvents, SearchRequest } from '../../../domain/search.ts'
import type { Executor, Layer, SearchContext } from '../../executor.ts'
import { layer } from '../layer.ts'
import { pumped } from '../pumped.ts'
import { started } from '../resilience/started.ts'
import { timed } from '../resilience/timed.ts'
import { AnswerCache, type AnswerCacheOptions, type KeptAnswer } from './answer-cache.ts'
import { cacheKey, type KeyOptions } from './request-key.ts'
import { SharedRun } from './shared-run.ts'

/** `ttlSeconds` 0: nothing is kept or shared. */
export interface CachedOptions extends AnswerCacheOptions, KeyOptions {}

/**
 * Answers an equal request from an earlier search, and makes one search of equal requests at the same time. A stale
 * answer is served while a new one is made behind it, an old one when the new search fails. The `cache` event comes
 * with the first event of the search, so an early failure is still the first thing that a caller gets. Plain text
 * (`want: 'text'`) is not cached: it is not a search. Every search is read to its end, shared or not (`pumped`).
 */
export function cached(options: CachedOptions): Layer {
  if (options.ttlSeconds <= 0) return pumped
  return (inner) => {
    const cache = new SearchCache(inner, new AnswerCache(options), options)
    return layer(inner, {
      search: (request, context) => cache.search(request, context),
      health: () => cache.health(),
      close: () => cache.close(),
    })
  }
}

type CacheEvent = Extract<SearchEvent, { type: 'cache' }>

class SearchCache {
  readonly #inner: Executor
  /** For a search that no other request can join: a `SharedRun` reads the others to their end. */
  readonly #pumped: Executor
  readonly #answers: AnswerCache
  readonly #keys: KeyOptions
  readonly #runs = new Map<string, SharedRun>()
  readonly #refreshes = new Set<Promise<void>>()
  readonly #closing = new AbortController()
  readonly #counts = { hit: 0, stale: 0, miss: 0 }
  #closed: Promise<void> | undefined

  constructor(inner: Executor, answers: AnswerCache, keys: KeyOptions) {
    this.#inner = inner
    this.#pumped = pumped(inner)
    this.#answers = answers
    this.#keys = keys
  }

  search(request: SearchRequest, context: SearchContext): SearchEvents {
    return attended(async () => ({ items: await this.#eventsOf(request, context) }))
  }

  async #eventsOf(request: SearchRequest, context: SearchContext): Promise<AsyncIterable<SearchEvent>> {
    if (this.#closing.signal.aborted) throw closedError()
    if (context.signal.aborted) throw abortError(context.signal)
    if (request.want === 'text') return this.#pumped.search(request, context)
    if (context.cache === 'no-store' || context.cache === 'no-cache')
      context.trace?.uncached(`asked with ${context.cache}`)
    if (context.cache === 'no-store') return this.#announced(this.#pumped.search(request, context))

    const key = await cacheKey(request, context.caller, this.#keys)
    if (context.cache === 'no-cache') return this.#announced(this.#recorded(key, request, context, this.#pumped))

    const found = await interruptible(this.#answers.find(key), context.signal)
    if (!found || found.freshness === 'old') {
      context.trace?.uncached(found ? 'the kept one is too old' : 'none is kept')
      const events = this.#announced(this.#sharedRun(key, request, context))
      return found ? this.#unlessItFails(events, found, context) : events
    }
    if (found.freshness === 'stale') this.#refresh(key, request, context)
    return this.#known(this.#counted(found.freshness === 'fresh' ? 'hit' : 'stale', found.ageSeconds), found)
  }

  async *#known(status: CacheEvent, { answer }: KeptAnswer): SearchEvents {
    yield status
    yield* replay(answer)
  }

  async health(): Promise<ExecutorHealth> {
    const { hit: hits, stale, miss: misses } = this.#counts
    return { ...(await this.#inner.health()), cache: { hits, stale, misses, problem: this.#answers.problem } }
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    this.#closing.abort()
    await this.#inner.close()
    await Promise.all(this.#refreshes)
    await this.#answers.flush()
  }

  /** Puts the `cache` event before the first one. An executor with a cache of its own has said it already. */
  #announced(events: AsyncIterable<SearchEvent>): SearchEvents {
    return attended(() => {
      const miss = this.#counted('miss', 0)
      let isFirst = true
      return {
        items: events,
        instead(event) {
          const isAnnounced = !isFirst || event.type === 'cache'
          isFirst = false
          return isAnnounced ? [event] : [miss, event]
        },
      }
    })
  }

  /**
   * A search; or the old answer, if the search fails before it has brought anything and the caller did not cause it.
   */
  async *#unlessItFails(
    events: AsyncIterable<SearchEvent>,
    old: KeptAnswer,
    { signal, trace }: SearchContext,
  ): SearchEvents {
    const failure = await started(events)
    if (!(failure instanceof SearchError)) return yield* failure
    if (signal.aborted || this.#closing.signal.aborted || traitsOf(failure.code).isCallerFault) throw failure
    trace?.note('An older answer stands in for a search that failed', failure)
    yield* this.#known({ ...this.#counted('stale', old.ageSeconds), reason: failure.code }, old)
  }

  #counted(status: CacheStatus, ageSeconds: number): CacheEvent {
    this.#counts[status]++
    return { type: 'cache', status, ageSeconds }
  }

  /** The events of an equal search that is under way, or of a new one in the name of this caller. */
  #sharedRun(key: string, request: SearchRequest, context: SearchContext): AsyncIterable<SearchEvent> {
    if (context.research) return this.#recorded(key, request, context, this.#pumped)
    const { caller, trace, isWhole, readsPages } = context
    const current = this.#runs.get(key)
    if (current?.isOpen) return this.#joinedRun(current, key, request, context)
    const forget = (): void => {
      if (this.#runs.get(key) === run) this.#runs.delete(key)
    }
    const start = (signal: AbortSignal) =>
      this.#recorded(key, request, { signal, caller, trace, isWhole, readsPages }, this.#inner)
    const run = new SharedRun(start, forget, caller)
    this.#runs.set(key, run)
    return run.read(context.signal)
  }

  /**
   * A search that another request has begun: the wait for it is time in the backend. A limit of that caller may not
   * apply to this one, so a refused search is retried for this caller.
   */
  async *#joinedRun(run: SharedRun, key: string, request: SearchRequest, context: SearchContext): SearchEvents {
    const { signal, trace, caller } = context
    trace?.uncached('an equal search was under way')
    const events = run.read(signal)
    let hasBegun = false
    try {
      for await (const event of trace ? timed(events, () => trace.begin('upstream')) : events) {
        hasBegun = true
        yield event
      }
      return
    } catch (error) {
      const { code } = toSearchError(error)
      const isOfItsCaller = run.caller !== caller && (code === 'rate-limited' || code === 'busy')
      if (hasBegun || !isOfItsCaller || signal.aborted) throw error
    }
    yield* this.#sharedRun(key, request, context)
  }

  /** A search of the inner executor whose answer is kept before `done` goes out. */
  #recorded(key: string, request: SearchRequest, context: SearchContext, inner: Executor): SearchEvents {
    return attended(() => {
      const fold = new AnswerFold()
      let ageSeconds = 0
      return {
        items: inner.search(request, context),
        onItem: (event) => {
          if (event.type === 'cache') ageSeconds = event.ageSeconds
          fold.add(event)
          if (event.type === 'done') this.#answers.keep(key, request.want, fold.finish(), ageSeconds)
        },
      }
    })
  }

  /** Searches again in the background, or joins an equal search. A failure leaves the stale answer. */
  #refresh(key: string, request: SearchRequest, { caller, trace }: SearchContext): void {
    const { signal } = this.#closing
    const refresh = drain(this.#sharedRun(key, request, { signal, caller, trace }))
      .catch((error) => trace?.note('The stale answer could not be renewed', error))
      .finally(() => this.#refreshes.delete(refresh))
    this.#refreshes.add(refresh)
  }
}

async function drain(events: AsyncIterable<SearchEvent>): Promise<void> {
  for await (const _ of events);
}
