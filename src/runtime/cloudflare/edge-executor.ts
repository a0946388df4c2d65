import type { StorageInterface } from 'ocache'
import { SearchError } from '../../domain/error.ts'
import type { SearchEvents, SearchRequest } from '../../domain/search.ts'
import type { Executor, Layer, SearchContext } from '../../executor/executor.ts'
import { cached } from '../../executor/layers/cache/cached.ts'
import { delegate } from '../../executor/layers/delegate.ts'
import { fallback } from '../../executor/layers/resilience/fallback.ts'
import { sanitised } from '../../executor/layers/sanitising/sanitised.ts'

/** Keeps the Worker running for work that goes on after the reply. */
export type Background = (work: Promise<unknown>) => void

export interface EdgeExecutorOptions {
  readonly ttlSeconds: number
  /** How long beyond its freshness an answer may stand in for a search that fails. */
  readonly oldSeconds: number
  readonly storage: StorageInterface
  /** Makes each backend, in the order in which they are asked. */
  readonly backends: readonly (() => Executor)[]
  /** Counts what is spent. */
  readonly meter: Layer
  readonly background: Background
}

/**
 * Cache, budget and backends as at home, less the line, which is kept at home. All is made anew for each search: on the
 * edge no request may wait for what another has begun, since that ends with the other's caller. What outlives a request
 * is data alone.
 */
export function edgeExecutor(options: EdgeExecutorOptions): Executor {
  const { ttlSeconds, oldSeconds, storage, backends, meter, background } = options
  const backend = () => fallback(backends.map((make) => make()))
  const whole = () => {
    const cache = cached({ ttlSeconds, oldSeconds, storage, onWrite: background })
    return cache(keptAlive(background)(meter(sanitised(backend()))))
  }
  const running = new Set<AbortController>()
  let isClosed = false
  return {
    name: 'edge',
    supports: (request) => backend().supports?.(request) ?? true,
    async *search(request, context) {
      if (isClosed) throw new SearchError('unavailable', 'This csp is closed.')
      const own = new AbortController()
      running.add(own)
      try {
        yield* whole().search(request, { ...context, signal: AbortSignal.any([context.signal, own.signal]) })
      } finally {
        running.delete(own)
      }
    },
    health: () => meter(backend()).health(),
    async close() {
      isClosed = true
      for (const search of running) search.abort()
    },
  }
}

/** Keeps the Worker running as long as a search does, so that one whose caller has left is stopped in good order. */
function keptAlive(background: Background): Layer {
  return (inner) => ({
    ...delegate(inner),
    search: (request, context) => searchAlive(inner, background, request, context),
  })
}

async function* searchAlive(
  inner: Executor,
  background: Background,
  request: SearchRequest,
  context: SearchContext,
): SearchEvents {
  const { promise, resolve } = Promise.withResolvers<void>()
  background(promise)
  try {
    yield* inner.search(request, context)
  } finally {
    resolve()
  }
}
