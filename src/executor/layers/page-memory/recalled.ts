import { attended } from '@csp/lib/attended'
import { collect, replay, sourcesOf } from '../../../domain/answer.ts'
import { SearchError, traitsOf } from '../../../domain/error.ts'
import type { Answer, SearchEvent, SearchRequest } from '../../../domain/search.ts'
import type { Executor, Layer, SearchContext } from '../../executor.ts'
import { layer } from '../layer.ts'
import { started } from '../resilience/started.ts'

/**
 * Answers from memory where it is asked for, and where no search can be made now: the plan's limit or its reserve is
 * reached, the login is gone, the network is down. Never first by itself, and never where a request wants a new search
 * (`no-cache`). Absent: a request for memory alone is rejected.
 */
export function recalled(memory: Executor | undefined): Layer {
  return (inner) =>
    layer(inner, {
      search: ({ memory: wish, ...request }, context) =>
        typeof wish === 'object'
          ? fromMemory(memory, { ...request, memory: wish }, context)
          : attended(async () => {
              if (!memory || !mayRecall(memory, wish, request, context))
                return { items: inner.search(request, context) }
              return { items: await orRecalled(inner, memory, request, context) }
            }),
      async close() {
        await Promise.all([inner.close(), memory?.close()])
      },
    })
}

async function* fromMemory(
  memory: Executor | undefined,
  request: SearchRequest,
  context: SearchContext,
): AsyncGenerator<SearchEvent, void, undefined> {
  if (!memory)
    throw new SearchError('invalid-request', 'This csp keeps no memory. Its operator can start it with --memory on.')
  if (memory.supports?.(request) === false)
    throw new SearchError('invalid-request', 'Memory returns only lists and excerpts. This request needs a model.')
  yield { type: 'backend', name: memory.name }
  yield* memory.search(request, context)
}

function mayRecall(
  memory: Executor,
  wish: SearchRequest['memory'],
  request: SearchRequest,
  { cache = 'default', research }: SearchContext,
): boolean {
  // A research that is kept waits for the end of a limit.
  return (
    wish !== 'never' && !research && !request.sources && cache === 'default' && memory.supports?.(request) !== false
  )
}

async function orRecalled(
  inner: Executor,
  memory: Executor,
  request: SearchRequest,
  context: SearchContext,
): Promise<AsyncIterable<SearchEvent>> {
  const events = await started(inner.search(request, context))
  if (!(events instanceof SearchError)) return events
  if (context.signal.aborted || !traitsOf(events.code).isOutage) throw events
  const found = await collect(memory.search(request, context)).catch(() => undefined)
  if (!found || sourcesOf(found.searches).length === 0) throw events
  context.trace?.replaced('every backend', events)
  return marked(found, memory.name, events)
}

/** The `cache` event says how old it is, and why it stands in. */
async function* marked(answer: Answer, backend: string, { code: reason }: SearchError) {
  const times = sourcesOf(answer.searches).map(({ seenAt = '' }) => Date.parse(seenAt))
  const ageSeconds = Math.max(0, Math.floor((Date.now() - Math.min(...times.filter(Number.isFinite))) / 1000))
  yield { type: 'cache', status: 'stale', ageSeconds: Number.isFinite(ageSeconds) ? ageSeconds : 0, reason } as const
  yield* replay({ ...answer, backend, isDegraded: true })
}
