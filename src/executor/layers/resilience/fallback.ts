import { abortError } from '../../../domain/abort.ts'
import { SearchError, traitsOf } from '../../../domain/error.ts'
import type { ExecutorHealth } from '../../../domain/health.ts'
import type { SearchEvent, SearchEvents, SearchRequest } from '../../../domain/search.ts'
import { attended } from '../../../lib/attended.ts'
import type { Executor, SearchContext } from '../../executor.ts'
import { started } from './started.ts'

/**
 * Asks the first executor that can serve such a request. When it fails before it has brought anything, and the
 * caller did not cause it, the next one is asked. A `backend` event names the one that answered, unless the executor
 * emits one itself. When all fail, the error is the first one's, with the shortest wait of all.
 */
export function fallback(executors: readonly Executor[]): Executor {
  const name = executors.map((executor) => executor.name).join(', ')
  const able = (request: SearchRequest) => executors.filter((executor) => executor.supports?.(request) ?? true)
  return {
    name,
    search: (request, context) =>
      attended(async () => ({ items: await firstToAnswer(able(request), request, context) })),
    supports: (request) => able(request).length > 0,
    health: async () => joinHealth(await Promise.all(executors.map((executor) => executor.health()))),
    async close() {
      await Promise.all(executors.map((executor) => executor.close()))
    },
  }
}

interface NamedFailure {
  readonly name: string
  readonly failure: SearchError
}

async function firstToAnswer(
  executors: readonly Executor[],
  request: SearchRequest,
  context: SearchContext,
): Promise<AsyncIterable<SearchEvent>> {
  if (context.signal.aborted) throw abortError(context.signal)
  const failures: NamedFailure[] = []
  for (const executor of executors) {
    const events = await started(named(executor.name, executor.search(request, context)))
    if (!(events instanceof SearchError)) return events
    const failure = events
    if (context.signal.aborted || traitsOf(failure.code).isCallerFault) throw failure
    if (failures.length + 1 < executors.length) context.trace?.replaced(executor.name, failure)
    failures.push({ name: executor.name, failure })
  }
  throw joinFailures(failures) ?? unsupported(request)
}

/** Puts the `backend` event where `SearchEvent` requires it. */
function named(name: string, events: AsyncIterable<SearchEvent>): SearchEvents {
  return attended(() => {
    let isNamed = false
    return {
      items: events,
      instead(event) {
        if (isNamed || event.type === 'cache') return [event]
        isNamed = true
        return event.type === 'backend' ? [event] : [{ type: 'backend', name }, event]
      },
    }
  })
}

function joinFailures(failures: readonly NamedFailure[]): SearchError | undefined {
  const [first, ...others] = failures
  if (!first || others.length === 0) return first?.failure
  const joined = (said: 'message' | 'forOthers') =>
    `No backend could answer. ${failures.map(({ name, failure }) => `${name}: ${failure[said]}`).join(' ')}`
  const waits = failures.flatMap(({ failure }) => failure.retryAfterSeconds ?? [])
  return new SearchError(first.failure.code, joined('message'), {
    forOthers: joined('forOthers'),
    cause: failures.map(({ failure }) => failure),
    retryAfterSeconds: waits.length > 0 ? Math.min(...waits) : undefined,
  })
}

function unsupported({ want }: SearchRequest): SearchError {
  const deeds = {
    results: 'make such a search',
    answer: 'write such an answer',
    text: 'write text without a search',
  } as const
  return new SearchError('invalid-request', `No configured backend can ${deeds[want]}.`)
}

/** Ready as soon as one is. The first one's queue stands for all; each backend has its own beside it. */
function joinHealth(all: readonly ExecutorHealth[]): ExecutorHealth {
  return {
    ready: all.some(({ ready }) => ready),
    backends: all.flatMap(({ backends, queue }) => backends.map((backend) => ({ ...backend, queue }))),
    queue: all[0]?.queue,
  }
}
