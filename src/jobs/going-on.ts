import { totalUsage } from '../domain/answer.ts'
import type { JobEvent } from '../domain/job.ts'
import type { SearchEvent, SearchEvents, SearchRequest, SearchResult } from '../domain/search.ts'
import type { Executor, SearchContext } from '../executor/executor.ts'

/**
 * What the last run of a job has found, if its answer is written over one search: the run that goes on need not search
 * again. Other answers search while they are written, and start again.
 */
export function searchesMade(
  { want, effort, research, tools = [], history }: SearchRequest,
  events: readonly JobEvent[],
): { readonly run: number; readonly searches: readonly SearchEvent[] } | undefined {
  const isOverSources = want === 'answer' && effort === 'standard' && !research
  const last = events.at(-1)
  if (!last || !isOverSources || tools.length > 0 || history.length > 0) return undefined
  const searches = events.flatMap(({ run, event }) => (run === last.run ? [event] : []))
  const begun = searches.filter(({ type }) => type === 'search-start').length
  const isWhole = begun === searches.filter(({ type }) => type === 'search-results').length
  return isWhole && sourcesIn(searches).some(({ snippet }) => snippet) ? { run: last.run, searches } : undefined
}

/** A search of a job, written over what is known, if anything is. */
export async function* goingOn(
  executor: Executor,
  request: SearchRequest,
  known: readonly SearchEvent[] | undefined,
  context: SearchContext,
): SearchEvents {
  if (!known || request.want !== 'answer') return yield* executor.search(request, context)
  const searches = known.filter(({ type }) => type === 'search-results').length
  for await (const event of executor.search({ ...request, sources: sourcesIn(known) }, context)) {
    if (isOfSearch(event)) continue
    if (event.type !== 'done') yield event
    else yield { ...event, usage: totalUsage([event.usage, { searches, inputTokens: 0, outputTokens: 0 }]) }
  }
}

function isOfSearch({ type }: SearchEvent): boolean {
  return type === 'backend' || type === 'search-start' || type === 'search-results'
}

function sourcesIn(events: readonly SearchEvent[]): readonly SearchResult[] {
  return events.flatMap((event) => (event.type === 'search-results' ? event.results : []))
}

/** Whether an event is of the text, which is kept when it is whole. */
export function isText({ type }: SearchEvent): boolean {
  return type === 'text-delta' || type === 'citation' || type.startsWith('tool-call') || type === 'done'
}

/** The same events with each stretch of text in one piece. */
export function joinedText(events: readonly SearchEvent[]): readonly SearchEvent[] {
  const whole: SearchEvent[] = []
  for (const event of events) {
    const last = whole.at(-1)
    if (event.type === 'text-delta' && last?.type === 'text-delta') {
      whole[whole.length - 1] = { type: 'text-delta', text: last.text + event.text }
    } else whole.push(event)
  }
  return whole
}
