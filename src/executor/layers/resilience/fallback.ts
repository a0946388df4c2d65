import { attended } from '@csp/lib/attended'
import { abortError } from '../../../domain/abort.ts'
import { SearchError, toSearchError, traitsOf } from '../../../domain/error.ts'
import type { ExecutorHealth } from '../../../domain/health.ts'
import type { SearchEvent, SearchEvents, SearchRequest } from '../../../domain/search.ts'
import { listersOf, mergedLists } from '../../answer/merged-lists.ts'
import type { Executor, Layer, SearchContext } from '../../executor.ts'
import { accounted } from '../metering/account.ts'
import { type Looked, looked, Misses, mayMiss } from './misses.ts'
import { started } from './started.ts'

export interface FallbackOptions {
  readonly misses?: Misses | undefined
  /** Makes of merged lists what a request wants. Absent: no lists are merged. */
  readonly overMerged?: Layer | undefined
}

/**
 * Asks the first executor that can serve such a request; where that wants merged lists, the first ones at once. When it
 * fails before it has brought anything, and the caller did not cause it, the next one is asked, and also where it finds
 * nothing: the first that found nothing answers if no other has a row. A `backend` event names the one that answered,
 * unless the executor emits one itself. When all fail, the error is the first one's, with the shortest wait of all.
 */
export function fallback(executors: readonly Executor[], options: FallbackOptions = {}): Executor {
  const { misses = new Misses(), overMerged } = options
  const name = executors.map((executor) => executor.name).join(', ')
  const able = (request: SearchRequest) => executors.filter((executor) => executor.supports?.(request) ?? true)
  return {
    name,
    search: (request, context) =>
      attended(async () => {
        const choice = { misses, overMerged, inOrder: misses.inOrder(able(request)) }
        return { items: await firstToAnswer(await turnsOf(choice, request, context), request, context) }
      }),
    supports: (request) => able(request).length > 0,
    health: async () => {
      const found = joinHealth(await Promise.all(executors.map((executor) => executor.health())))
      const backends = found.backends.map((one) => (misses.isAskedLast(one.name) ? { ...one, isAskedLast: true } : one))
      return { ...found, backends }
    },
    async close() {
      await Promise.all(executors.map((executor) => executor.close()))
    },
  }
}

interface NamedFailure {
  readonly name: string
  readonly failure: SearchError
}

/** Who is asked for one request, one after another. */
interface Turns {
  readonly executors: readonly Executor[]
  /** The one among them that stands for several, and notes what becomes of each. */
  readonly merged?: Executor | undefined
  readonly misses: Misses
  readonly failures: NamedFailure[]
}

interface Choice extends FallbackOptions {
  readonly inOrder: readonly Executor[]
  readonly misses: Misses
}

/** Those whose lists become one take the place of the first, unless that needs no list. */
async function turnsOf(
  { inOrder, misses, overMerged }: Choice,
  request: SearchRequest,
  context: SearchContext,
): Promise<Turns> {
  const turns = { executors: inOrder, misses, failures: [] as NamedFailure[] }
  const listers = overMerged ? listersOf(inOrder, request) : []
  if (!overMerged || listers.length < 2) return turns
  if (request.want === 'answer' && (await inOrder[0]?.answers?.(request, context))) return turns
  const merged = overMerged(
    mergedLists(
      listers.map((one, place) => accounted(one, place === 0 ? 'list' : 'further-list')),
      {
        onList: mayMiss(request) ? (name, isEmpty) => misses.note(name, isEmpty) : undefined,
        onFailure: (name, failure) => turns.failures.push({ name, failure }),
      },
    ),
  )
  return { ...turns, merged, executors: [merged, ...inOrder.filter((executor) => !listers.includes(executor))] }
}

async function firstToAnswer(
  { executors, merged, misses, failures }: Turns,
  request: SearchRequest,
  context: SearchContext,
): Promise<AsyncIterable<SearchEvent>> {
  if (context.signal.aborted) throw abortError(context.signal)
  const looks = executors.length > 1 && mayMiss(request)
  let missed: AsyncIterable<SearchEvent> | undefined
  for (const executor of executors) {
    context.trace?.asked(executor.name)
    const events = await started(named(executor.name, executor.search(request, context)))
    const outcome = events instanceof SearchError || !looks ? events : await lookedAt(events)
    if (outcome instanceof SearchError) {
      if (context.signal.aborted || traitsOf(outcome.code).isCallerFault) throw outcome
      if (missed || executor !== executors.at(-1)) context.trace?.replaced(executor.name, outcome)
      if (!failures.some(({ failure }) => failure === outcome)) failures.push({ name: executor.name, failure: outcome })
    } else if (!('isMiss' in outcome)) return outcome
    else {
      if (executor !== merged) misses.note(executor.name, outcome.isMiss)
      if (!outcome.isMiss) return outcome.events
      context.trace?.note(`${executor.name} found nothing`)
      missed ??= outcome.events
    }
  }
  if (missed) return missed
  throw joinFailures(failures) ?? unsupported(request)
}

function lookedAt(events: AsyncIterableIterator<SearchEvent, undefined>): Promise<Looked | SearchError> {
  return looked(events).catch(toSearchError)
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
