import type { Want } from '../../domain/search.ts'
import { composed } from '../answer/composed.ts'
import type { Executor, Layer } from '../executor.ts'
import { type CachedOptions, cached } from './cache/cached.ts'
import { type CheckedOptions, checked, keepingReceipts } from './evidence/checked.ts'
import { ownReceipts } from './evidence/own-receipts.ts'
import { type ExcerptedOptions, excerpted, overPages, PageExcerpts } from './excerpts/excerpted.ts'
import { inLanguage, instructed, merging } from './instructed.ts'
import { layer } from './layer.ts'
import { accounted, reaching } from './metering/account.ts'
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
import { type QueueLimits, queued } from './resilience/queued.ts'
import { restarted } from './resilience/restarted.ts'
import { retried } from './resilience/retried.ts'
import { sanitised } from './sanitising/sanitised.ts'

// To add a layer: write it over `layer()`, beside the layer that is most like it. Give it an option in one of the two
// interfaces below, and its place in `createStack` (around all backends) or `createBackendStack` (around each), with the
// reason. The options come from `runtime/server/create-executor.ts` or `backend-stacks.ts` on a machine, from
// `runtime/cloudflare/edge-executor.ts` and `backends.ts` on the edge, and from `library/create-app.ts` for programs. A
// row in `tests/executor/layers/layers.contract.test.ts` has it keep the contract of executors, and
// `tests/executor/layers/stack.test.ts` tests its place.

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
 * The layers around all backends, for both runtimes: first those that every request passes, then those of its kind, then
 * the choice of a backend, each behind its own layers (`createBackendStack`). Outermost first, each with its reason.
 */
export function createStack(backends: readonly Executor[], options: StackOptions): Executor {
  const { instructions, defaultLanguage, merge = 1, cache, keepAlive, research, memory, evidence } = options
  const { paging, meter } = options
  const excerpts = options.excerpts && new PageExcerpts({ ...options.excerpts, memory })
  const choice = chosen(backends, options)
  const checkedRows = [
    // Counts what is made, whichever backend makes it. Below the cache and the known rows of a list, which cost nothing.
    meter && metered(meter),
    // Nothing above keeps, counts or pages rows that have not been checked.
    sanitised,
  ]
  const kinds: Readonly<Record<Want, Executor>> = {
    results: stack(choice, [
      // Above paging, so that only the rows that are given have their pages read; above all backends, whose rows may lack
      // excerpts. What it takes from pages it cleans itself.
      excerpts && excerpted(excerpts),
      // A page of rows that are known costs nothing; each further search is counted below.
      paging && paged(paging),
      ...checkedRows,
    ]),
    answer: stack(choice, [
      // Above the check, which reads the same pages as the writer.
      excerpts && overPages(excerpts),
      // Above metering: a judge is a model call.
      evidence && checked(evidence),
      ...checkedRows,
    ]),
    text: stack(choice, checkedRows),
  }
  // They share their health and their end, and the stack of lists has all that has either.
  const ofItsKind = layer(kinds.results, { search: (request, context) => kinds[request.want].search(request, context) })
  return stack(ofItsKind, [
    // Part of the question, so of its key in the cache.
    instructions ? instructed(instructions) : undefined,
    defaultLanguage ? inLanguage(defaultLanguage) : undefined,
    merge > 1 ? merging(merge) : undefined,
    // Above the cache, whose answers others get, too.
    evidence && ownReceipts,
    // Above the cache, whose older answers come first, and which keeps nothing that is from memory; above the budget,
    // since it answers where that is spent.
    recalled(memory && sanitised(memory.backend)),
    // An answer that is known costs nothing. What is searched ends without its reader: below, nothing waits for a client.
    cache ? cached(cache) : pumped,
    // A search that the cache makes must outlive its caller; an answer from the cache need not.
    keepAlive,
    // A report is kept and shared as a whole; each search and call of a model that it makes passes all below.
    research,
    // Above excerpts, so that rows have theirs, and below the cache, so that each is kept once.
    memory && remembering(memory),
    // Waits at the end for what receipts are written to.
    evidence?.receipts && keepingReceipts(evidence.receipts),
  ])
}

/** Asks the first backend that can, or merges the lists of several; over a list, the first writer that can writes. */
function chosen(
  backends: readonly Executor[],
  { writers = [], areWritersNamed: writeForAll = false, mergesElsewhere }: StackOptions,
): Executor {
  const named = writeForAll ? writers : []
  const counted = new Map(writers.map((writer) => [writer, accounted(writer, 'text')]))
  const parts = { writers: [...counted.values()], writeForAll }
  const answering = backends.map((backend) => composed(backend, { ...parts, own: counted.get(backend) }))
  const overMerged = mergesElsewhere ? undefined : (lists: Executor) => composed(lists, parts)
  const asked = [...answering, ...writersOfTexts(named, backends)]
  return sayingWho(named, backends, fallback(asked, { misses: new Misses(), overMerged }))
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
 * 7. restart: for what was lost behind the point where a retry may still begin.
 * 8. reaching: innermost, since a call that was left before it reached the backend has cost nothing.
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
    reaching,
  ])
}

/** `layers`: outermost first. */
function stack(inner: Executor, layers: readonly (Layer | undefined)[]): Executor {
  return layers.reduceRight((executor, layer) => (layer ? layer(executor) : executor), inner)
}
