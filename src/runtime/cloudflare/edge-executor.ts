import { attended } from '@csp/lib/attended'
import type { StorageInterface } from 'ocache'
import { SearchError } from '../../domain/error.ts'
import type { Executor, Layer } from '../../executor/executor.ts'
import { oldAnswerSeconds } from '../../executor/layers/cache/answer-cache.ts'
import type { CacheScope } from '../../executor/layers/cache/request-key.ts'
import { layer } from '../../executor/layers/layer.ts'
import type { Meter } from '../../executor/layers/metering/budget.ts'
import { timed } from '../../executor/layers/resilience/timed.ts'
import { createStack, type StackOptions } from '../../executor/layers/stack.ts'
import { researched } from '../../research/researched.ts'

// Requests of a Worker share data alone: a promise, timer or stub ends with the request that made it.

/** Keeps the Worker running for work that continues after the reply. */
export type Background = (work: Promise<unknown>) => void

export interface EdgeExecutorOptions {
  /** For searches that name none. */
  readonly defaultLanguage?: string | undefined
  /** How many backends list at once, for searches that do not say. */
  readonly merge?: number | undefined
  readonly ttlSeconds: number
  /** Whether all callers share answers. */
  readonly scope?: CacheScope | undefined
  readonly storage: StorageInterface
  /** Makes each backend, in the order in which they are asked. */
  readonly backends: readonly (() => Executor)[]
  /** Counts what is spent. */
  readonly meter: Meter
  readonly background: Background
}

/**
 * Cache, budget and backends in the order of `createStack`, without the queue, which is kept at home. The layers are
 * created for each search: on the edge no request may wait for work that another request started, since that work ends
 * with the other's caller. Only data outlives a request.
 */
export function edgeExecutor(options: EdgeExecutorOptions): Executor {
  const { defaultLanguage, merge, ttlSeconds, scope, storage, backends, meter, background } = options
  const make = (layers: StackOptions) =>
    createStack(
      backends.map((makeBackend) => makeBackend()),
      { ...layers, mergesElsewhere: true },
    )
  // Paging stands around the edge's own backends alone, see `edgeBackends`: a home makes its pages itself.
  const whole = () =>
    make({
      defaultLanguage,
      merge,
      // No memory of its own, which would end with the search: the storage has one for the whole isolate.
      cache: { ttlSeconds, oldSeconds: oldAnswerSeconds, scope, storage, memoryBytes: 0, onWrite: background },
      keepAlive: keptAlive(background),
      research: researched,
      meter,
    })
  const running = new Set<AbortController>()
  let isClosed = false
  return {
    name: 'edge',
    supports: (request) => make({}).supports?.(request) ?? true,
    search: (request, context) =>
      attended(() => {
        if (isClosed) throw new SearchError('unavailable', 'This csp is closed.')
        const own = new AbortController()
        running.add(own)
        return {
          items: whole().search(request, { ...context, signal: AbortSignal.any([context.signal, own.signal]) }),
          onEnd: () => running.delete(own),
        }
      }),
    health: () => make({ meter }).health(),
    async close() {
      isClosed = true
      for (const search of running) search.abort()
    },
  }
}

/** Keeps the Worker running as long as a search does, so that one whose caller has left is stopped in good order. */
function keptAlive(background: Background): Layer {
  return (inner) =>
    layer(inner, {
      search: (request, context) =>
        attended(() => {
          const { promise, resolve } = Promise.withResolvers<void>()
          background(promise)
          const { trace } = context
          const events = inner.search(request, context)
          return { items: trace ? timed(events, () => trace.begin('upstream')) : events, onEnd: resolve }
        }),
    })
}
