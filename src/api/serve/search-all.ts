import { AnswerFold, sourcesOf, totalUsage } from '../../domain/answer.ts'
import { SearchError } from '../../domain/error.ts'
import type { Answer, SearchEvent, SearchEvents, SearchRequest } from '../../domain/search.ts'
import type { Executor, SearchContext } from '../../executor/executor.ts'

type CacheNote = Extract<SearchEvent, { type: 'cache' }>

interface Gathered {
  readonly answer: Answer
  readonly cache: CacheNote | undefined
}

/**
 * Runs one search, or several at the same time, whose events are merged in the order of the requests. Of several
 * only the pages are reported. When one fails, the others are stopped and its error is thrown.
 */
export function searchAll(
  executor: Executor,
  requests: readonly SearchRequest[],
  context: SearchContext,
): AsyncIterable<SearchEvent> {
  const [only, ...more] = requests
  return only && more.length === 0 ? executor.search(only, context) : searchSeveral(executor, requests, context)
}

async function* searchSeveral(
  executor: Executor,
  requests: readonly SearchRequest[],
  context: SearchContext,
): SearchEvents {
  const gathered = await gatherAll(executor, requests, context)
  const cache = joinCaches(gathered)
  if (cache) yield cache
  const names = new Set(gathered.flatMap(({ answer }) => answer.backend ?? []))
  if (names.size > 0) yield { type: 'backend', name: [...names].join(', ') }
  for (const [index, { answer }] of gathered.entries()) {
    const id = `query-${index + 1}`
    const model = answer.searches[0]?.model
    yield { type: 'search-start', id, query: requests[index]?.query ?? '', ...(model !== undefined && { model }) }
    yield { type: 'search-results', id, results: sourcesOf(answer.searches) }
  }
  yield joinEnds(gathered)
}

/** Settles when all have settled; rejects with the first error. */
async function gatherAll(
  executor: Executor,
  requests: readonly SearchRequest[],
  context: SearchContext,
): Promise<readonly Gathered[]> {
  const stop = new AbortController()
  const signal = AbortSignal.any([context.signal, stop.signal])
  const failures: unknown[] = []
  const runs = requests.map(async (request) => {
    try {
      return [await gather(executor.search(request, { ...context, signal, isWhole: true }))]
    } catch (error) {
      failures.push(error)
      stop.abort()
      return []
    }
  })
  const gathered = (await Promise.all(runs)).flat()
  if (failures.length > 0) throw failures[0]
  return gathered
}

async function gather(events: AsyncIterable<SearchEvent>): Promise<Gathered> {
  const fold = new AnswerFold()
  let cache: CacheNote | undefined
  for await (const event of events) {
    if (event.type === 'cache') cache = event
    fold.add(event)
  }
  return { answer: fold.finish(), cache }
}

/** As old as the oldest; a miss unless all are from the cache. */
function joinCaches(gathered: readonly Gathered[]): CacheNote | undefined {
  const notes = gathered.flatMap(({ cache }) => cache ?? [])
  if (notes.length < gathered.length) return undefined
  const has = (status: CacheNote['status']) => notes.some((note) => note.status === status)
  if (has('miss')) return { type: 'cache', status: 'miss', ageSeconds: 0 }
  const ageSeconds = Math.max(...notes.map((note) => note.ageSeconds))
  const reason = notes.find((note) => note.reason)?.reason
  return { type: 'cache', status: has('stale') ? 'stale' : 'hit', ageSeconds, ...(reason && { reason }) }
}

function joinEnds(gathered: readonly Gathered[]): SearchEvent {
  const answers = gathered.map(({ answer }) => answer)
  const [first] = answers
  if (!first) throw new SearchError('failed', 'There was nothing to search for.')
  const usage = totalUsage(answers.map((answer) => answer.usage))
  return { type: 'done', reason: first.reason, usage, model: first.model }
}
