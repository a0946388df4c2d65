import { composed } from '../answer/composed.ts'
import type { Executor, Layer } from '../executor.ts'
import { type CachedOptions, cached } from './cache/cached.ts'
import { type CheckedOptions, checks, keepingReceipts } from './evidence/checked.ts'
import { ownReceipts } from './evidence/own-receipts.ts'
import { type ExcerptedOptions, excerpted, PageExcerpts, withLate } from './excerpts/excerpted.ts'
import type { SearchPages } from './excerpts/search-pages.ts'
import { inLanguage, instructed, merging } from './instructed.ts'
import { layer } from './layer.ts'
import type { Meter } from './metering/budget.ts'
import { metered } from './metering/metered.ts'
import { sayingWho, writersOfTexts } from './named-writers.ts'
import { recalled } from './page-memory/recalled.ts'
import { type RememberingOptions, remembering } from './page-memory/remembering.ts'
import { type PagedOptions, paged } from './paging/paged.ts'
import { guarded } from './plan/guarded.ts'
import type { PlanGuard } from './plan/plan-guard.ts'
import { pumped } from './pumped.ts'
import type { Breaker } from './resilience/breaker.ts'
import { gated, observed } from './resilience/circuit-breaking.ts'
import { deadline } from './resilience/deadline.ts'
import { fallback } from './resilience/fallback.ts'
import { Misses } from './resilience/misses.ts'
import type { QueueLimits } from './resilience/queue-limits.ts'
import { queued } from './resilience/queued.ts'
import { restarted } from './resilience/restarted.ts'
import { retried } from './resilience/retried.ts'
import { sanitised } from './sanitising/sanitised.ts'

/** A layer whose options are absent is left out. */
export interface StackOptions {
  /** The operator's, for every answer with sources. */
  readonly instructions?: string | undefined
  /** For searches that name none. */
  readonly defaultLanguage?: string | undefined
  /** How many backends list at once, for searches that do not say. */
  readonly merge?: number | undefined
  /** The backends merge lists themselves, and get the wish. */
  readonly mergesElsewhere?: boolean | undefined
  readonly cache?: CachedOptions | undefined
  /** Keeps the runtime going while a search runs, where it would stop with the reply. */
  readonly keepAlive?: Layer | undefined
  /** Makes the reports that requests ask for. Absent: they get an answer. */
  readonly research?: Layer | undefined
  /** Absent if no page may be read. */
  readonly excerpts?: ExcerptedOptions | undefined
  /** What csp has seen, and the backend that answers from it. Absent if nothing is kept. */
  readonly memory?: (RememberingOptions & { readonly backend: Executor }) | undefined
  /** Absent: no written answer is compared with the pages that it cites. */
  readonly evidence?: CheckedOptions | undefined
  readonly paging?: PagedOptions | undefined
  readonly meter?: Meter | undefined
  /** Who writes over the pages that backends list, in the order in which they are asked; each behind its own layers. */
  readonly writers?: readonly Executor[] | undefined
  /** Whether they were named: then they write all `standard` answers, and those that are no backends make texts as well. */
  readonly areWritersNamed?: boolean | undefined
}

/**
 * The layers around all backends, for both runtimes. The order, outermost first, and why:
 *
 * 1. instructions, language, merging: part of the question, so of its key in the cache.
 * 2. receipts: above the cache, whose answers others get, too.
 * 3. recall: above the cache, whose older answers come first, and which keeps nothing that is from memory; above the
 *    budget, since it answers where that is spent.
 * 4. cache: an answer that is known costs nothing, so it comes before whatever counts or limits.
 * 5. pump: what is searched for one caller ends without its reader; below it, nothing waits for a client.
 * 6. keepAlive: a search that the cache makes must outlive its caller; an answer from the cache need not.
 * 7. research: a report is cached and shared as a whole; each search and call of a model that it makes passes all below.
 * 8. remembering: above excerpts, so that rows have theirs, and below the cache, so that each is kept once.
 * 9. receipts of answers: what they are written to is waited for at the end.
 *
 * A list then passes:
 *
 * 10. excerpts: kept with the list; above paging, so that only the rows that are given have their pages read, and above
 *     all backends, whose rows may lack excerpts. What it takes from pages it cleans itself.
 * 11. paging: a page of rows that are known costs nothing either, and each further search is counted below.
 * 12. metering: counts the searches that are made, whichever backend makes them.
 * 13. sanitising: nothing above keeps, counts or pages rows that have not been checked. Around memory as well.
 * 14. fallback: chooses among the backends, each behind its own layers (`createBackendStack`), or merges their lists.
 *
 * An answer passes late pages, evidence, metering, sanitising, fallback, and `composed` around each backend. Those that
 * know the pages of that one answer are made for it: evidence above metering, since a judge is a model call.
 */
export function createStack(backends: readonly Executor[], options: StackOptions): Executor {
  const { instructions, defaultLanguage, cache, keepAlive, research, excerpts, evidence } = options
  const { memory, paging, meter, writers = [], areWritersNamed = false } = options
  const { merge = 1, mergesElsewhere } = options
  const pageExcerpts = excerpts && new PageExcerpts({ ...excerpts, memory })
  const below = [meter && metered(meter), sanitised]
  const misses = new Misses()
  const named = areWritersNamed ? writers : []
  const texts = writersOfTexts(named, backends)
  const over = (pages?: SearchPages) => {
    const parts = { writers, writeForAll: areWritersNamed, pages }
    const answering = backends.map((backend) => composed(backend, parts))
    const overMerged = mergesElsewhere ? undefined : (lists: Executor) => composed(lists, parts)
    return sayingWho(named, backends, fallback([...answering, ...texts], { misses, overMerged }))
  }
  const lists = stack(over(), [pageExcerpts && excerpted(pageExcerpts), paging && paged(paging), ...below])
  const check = evidence && checks(evidence)
  const answers: Executor['search'] = (request, context) => {
    const pages = pageExcerpts?.of(request, context)
    const answer = stack(over(pages), [check && ((inner) => check(inner, pages)), ...below])
    const events = answer.search(request, context)
    return pages ? withLate(events, pages, request) : events
  }
  const search: Executor['search'] = (request, context) =>
    request.want === 'answer' && (pageExcerpts || check) ? answers(request, context) : lists.search(request, context)
  return stack(layer(lists, { search }), [
    instructions ? instructed(instructions) : undefined,
    defaultLanguage ? inLanguage(defaultLanguage) : undefined,
    merge > 1 ? merging(merge) : undefined,
    evidence && ownReceipts,
    recalled(memory && sanitised(memory.backend)),
    cache && cached(cache),
    pumped,
    keepAlive,
    research,
    memory && remembering(memory),
    evidence?.receipts && keepingReceipts(evidence.receipts),
  ])
}

/** A layer whose options are absent is left out. */
export interface BackendStackOptions {
  readonly breaker?: Breaker | undefined
  readonly queue?: QueueLimits | undefined
  /** Absent if the backend has no plan to protect. */
  readonly plan?: PlanGuard | undefined
  /** For one search with all its tries, the wait in the queue aside. 0: no deadline. */
  readonly timeoutMs: number
  /** Tries after the first. Absent: a search is never tried again. */
  readonly retries?: number | undefined
  /** Whether a whole answer that was lost in the middle is asked for once more: where another machine may give it. */
  readonly restarts?: boolean | undefined
}

/**
 * The layers around one backend, for both runtimes. The order, outermost first, and why:
 *
 * 1. breaker, its gate: rejects at once, not after a wait in the queue.
 * 2. queue: a search holds its place through all its tries.
 * 3. plan: behind the queue, so that each search begins by what is known then; what it refuses says nothing about the
 *    backend.
 * 4. breaker, its observer: learns the outcome before the queue gives the place to the next search. The tries of one
 *    search count once.
 * 5. deadline: covers all tries together, but not the wait in the queue.
 * 6. retry: a second try costs neither a place nor a deadline of its own.
 * 7. restart: innermost, for what was lost behind the point where a retry may still begin.
 */
export function createBackendStack(backend: Executor, options: BackendStackOptions): Executor {
  const { breaker, queue, plan, timeoutMs, retries, restarts } = options
  // A try that begins later than this has no time to finish.
  const giveUpAfterMs = timeoutMs > 0 ? timeoutMs / 2 : undefined
  return stack(backend, [
    breaker && gated(breaker),
    queue && queued({ ...queue, breaker }),
    plan && guarded(plan),
    breaker && observed(breaker),
    deadline({ timeoutMs }),
    retries !== undefined ? retried({ retries, giveUpAfterMs }) : undefined,
    restarts ? restarted : undefined,
  ])
}

/** `layers`: outermost first. */
function stack(inner: Executor, layers: readonly (Layer | undefined)[]): Executor {
  return layers.reduceRight((executor, layer) => (layer ? layer(executor) : executor), inner)
}
