import { deferred } from '@csp/lib/deferred'
import { abortError } from '../../domain/abort.ts'
import { sourcesOf, totalUsage } from '../../domain/answer.ts'
import { SearchError, toSearchError } from '../../domain/error.ts'
import type { SearchEvent, SearchEvents, SearchRequest, SearchResult } from '../../domain/search.ts'
import type { Executor, SearchContext } from '../executor.ts'
import { type Listed, listed, listRequest } from './listed.ts'
import { anyDeviceKey, mergedRows } from './merged-rows.ts'

/** What is learned of each list. */
export interface MergedOptions {
  readonly onList?: ((name: string, isEmpty: boolean) => void) | undefined
  readonly onFailure?: ((name: string, failure: SearchError) => void) | undefined
}

/** The executors whose lists a request wants as one: the first that can list for it. */
export function listersOf(executors: readonly Executor[], request: SearchRequest): readonly Executor[] {
  const { merge = 1 } = request
  if (merge < 2 || request.want === 'text' || request.sources) return []
  const list = listRequest(request)
  return executors.filter((executor) => executor.supports?.(list) ?? true).slice(0, merge)
}

/**
 * Asks several executors at once, and makes one list of theirs. After the first one with rows the others have a short
 * time left; then they are stopped. A failure leaves its executor out. Where all fail, it is the first one's.
 */
export function mergedLists(executors: readonly Executor[], options: MergedOptions = {}): Executor {
  return {
    name: executors.map(({ name }) => name).join(', '),
    search: (request, context) => search(executors, options, request, context),
    supports: ({ want }) => want === 'results',
    async health() {
      const all = await Promise.all(executors.map((executor) => executor.health()))
      return { ready: all.some(({ ready }) => ready), backends: all.flatMap(({ backends }) => backends) }
    },
    async close() {
      await Promise.all(executors.map((executor) => executor.close()))
    },
  }
}

/** What a model's search takes beyond that of an index, and a little more. */
const graceMs = 1500

async function* search(
  executors: readonly Executor[],
  options: MergedOptions,
  request: SearchRequest,
  context: SearchContext,
): SearchEvents {
  if (context.signal.aborted) throw abortError(context.signal)
  const stop = new AbortController()
  const signal = AbortSignal.any([context.signal, stop.signal])
  const asked = executors.map((executor) => {
    context.trace?.asked(executor.name)
    return listed(executor.search(requestFor(executor, request), { ...context, signal })).catch(toSearchError)
  })
  try {
    const outcomes = await inTime(asked)
    // What is late stops while the list is read.
    stop.abort()
    if (context.signal.aborted) throw abortError(context.signal)
    yield* listOf(told(executors, outcomes, options, context), request)
  } finally {
    stop.abort()
    await Promise.all(asked)
  }
}

/** Each pages from where its own rows end, and the merged list is cut at the end. */
function requestFor({ name }: Executor, { merge: _, ...request }: SearchRequest): SearchRequest {
  if (request.want !== 'results') return request
  const { offset = 0, limit, cursor, listedBy, ...list } = request
  return {
    ...list,
    ...(limit !== undefined && { limit: offset + limit }),
    ...(cursor !== undefined && { cursor: listedBy?.[name] ?? 0 }),
  }
}

type Outcome = Listed | SearchError

/** The outcomes that are known a short time after the first one with rows. */
async function inTime(lists: readonly Promise<Outcome>[]): Promise<readonly (Outcome | undefined)[]> {
  const outcomes: (Outcome | undefined)[] = lists.map(() => undefined)
  const timeUp = deferred<void>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const known = lists.map(async (list, place) => {
    const outcome = await list
    outcomes[place] = outcome
    if (hasRows(outcome)) timer ??= setTimeout(timeUp.resolve, graceMs)
  })
  await Promise.race([Promise.all(known), timeUp.promise])
  clearTimeout(timer)
  return [...outcomes]
}

function hasRows(outcome: Outcome): boolean {
  return !(outcome instanceof SearchError) && outcome.searches.some(({ results }) => results.length > 0)
}

interface NamedList extends Listed {
  readonly backend: string
}

/** The lists among the outcomes. Throws where there is none. */
function told(
  executors: readonly Executor[],
  outcomes: readonly (Outcome | undefined)[],
  { onList, onFailure }: MergedOptions,
  { trace }: SearchContext,
): readonly NamedList[] {
  const lists: NamedList[] = []
  const failures: { readonly name: string; readonly failure: SearchError }[] = []
  for (const [place, { name }] of executors.entries()) {
    const outcome = outcomes[place]
    if (outcome instanceof SearchError) failures.push({ name, failure: outcome })
    else if (outcome) {
      onList?.(name, !hasRows(outcome))
      lists.push({ ...outcome, backend: outcome.backend ?? name })
    } else trace?.note(`${name} was too slow for the merged list`)
  }
  for (const { name, failure } of failures) {
    onFailure?.(name, failure)
    if (lists.length > 0) trace?.replaced(name, failure)
  }
  const [first] = failures
  if (lists.length === 0 && first) throw first.failure
  return lists
}

/** The lists as one, with the names of those that had rows. */
function* listOf(lists: readonly NamedList[], request: SearchRequest): Generator<SearchEvent> {
  const full = lists.filter(hasRows)
  const used = full.length > 0 ? full : lists
  const [first, ...others] = used.map(({ searches }) => searches[0]?.model)
  // A further search for lines is worth its price only where models made all of these.
  const model = others.includes(undefined) ? undefined : first
  const notes = used.flatMap((list) => list.notes || []).join('\n\n')
  yield { type: 'backend', name: [...new Set(used.map(({ backend }) => backend))].join(', ') }
  yield { type: 'search-start', id, query: request.query, ...(model !== undefined && { model }) }
  yield { type: 'search-results', id, results: rowsOf(used, request), ...(notes && { notes }) }
  yield {
    type: 'done',
    reason: 'stop',
    usage: totalUsage(lists.map(({ usage }) => usage)),
    model: used[0]?.model ?? '',
    ...(used.some(({ isDegraded }) => isDegraded) && { isDegraded: true }),
  }
}

const id = 'search-1'

function rowsOf(lists: readonly NamedList[], { exclude, offset = 0, limit }: SearchRequest): readonly SearchResult[] {
  const known = new Set(exclude?.map(anyDeviceKey))
  const rows = mergedRows(lists.map(({ searches }) => sourcesOf(searches)))
  const fresh = known.size > 0 ? rows.filter(({ url }) => !known.has(anyDeviceKey(url))) : rows
  return fresh.slice(offset, limit === undefined ? undefined : offset + limit)
}
