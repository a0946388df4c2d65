import type { Page } from '@csp/page-reader/page'
import type { SearchError } from '../domain/error.ts'
import type { ExecutorHealth } from '../domain/health.ts'
import type { ResearchRun } from '../domain/research.ts'
import type { ExcerptSource, SearchEvent, SearchEvents, SearchRequest, SearchResult } from '../domain/search.ts'

/**
 * Something that can search the web: a CLI on this machine, a machine far away, a layer around another executor.
 *
 * Contract, checked by `tests/contract/executor.ts` for every implementation:
 * - Lazy and single use: nothing starts before the first `next()`, and each call returns a fresh iterable.
 * - Events come in the order that `SearchEvent` names; exactly one `done`, last.
 * - Failure throws a `SearchError`, and nothing follows it.
 * - When the signal aborts, or the consumer returns early, all work for this search has stopped before the iterator
 *   settles. An abort throws `cancelled`, or `timeout` when the signal's reason is a `TimeoutError`.
 * @example
 * const wiki: Executor = {
 *   name: 'wiki',
 *   async *search({ query }, { signal }) {
 *     yield { type: 'search-start', id: '1', query }
 *     const reply = await fetch(`https://wiki.example/search?q=${encodeURIComponent(query)}`, { signal })
 *     const rows: { title: string; url: string }[] = await reply.json()
 *     yield { type: 'search-results', id: '1', results: rows.map((row) => ({ ...row, source: 'wiki' })) }
 *     yield { type: 'done', reason: 'stop', usage: { searches: 1, inputTokens: 0, outputTokens: 0 }, model: 'wiki' }
 *   },
 *   supports: ({ want }) => want === 'results',
 *   health: async () => ({ ready: true, backends: [{ name: 'wiki', ready: true }] }),
 *   close: async () => {},
 * }
 */
export interface Executor {
  readonly name: string
  search(request: SearchRequest, context: SearchContext): AsyncIterable<SearchEvent>
  /**
   * Returns true if it can serve such a request at all; absent: any. Asked before a search, if there is a choice of
   * executors.
   */
  supports?(request: SearchRequest): boolean
  /** True if its searches are those of the sandbox, which has its own pages in place of the web. */
  readonly isSandbox?: boolean | undefined
  /**
   * Returns true if it makes such an answer by itself, search and all; absent: any that it supports. Of the others it lists the
   * pages, and is asked for the writing with the pages as `sources`: a marker `[n]` names the n-th of them.
   */
  readonly answers?: ((request: SearchRequest, context: SearchContext) => Promise<boolean>) | undefined
  /**
   * Prepares a writer for an answer that will be requested shortly. Fails if that request would be refused now. The next
   * answer uses the prepared writer, or it is given back: `release` is called in any case.
   */
  readonly prepare?: ((request: SearchRequest, context: SearchContext) => Promise<Prepared>) | undefined
  /** True if it has a memory, for requests that ask only for that. Only a csp on Bun has one. */
  readonly recalls?: boolean | undefined
  /** Its health. Costs no search and never throws. */
  health(): Promise<ExecutorHealth>
  /** Stops what is running and frees what is held. Idempotent. */
  close(): Promise<void>
}

/** A prepared writer. */
export interface Prepared {
  /** Idempotent. */
  release(): void
}

/**
 * Data that accompanies a request but does not change its answer.
 * @example const replyOf = (url: string, { signal }: SearchContext) => fetch(url, { signal })
 */
export interface SearchContext {
  readonly signal: AbortSignal
  /** `no-cache`: search again, keep the answer. `no-store`: search again, keep nothing. */
  readonly cache?: 'default' | 'no-cache' | 'no-store' | undefined
  /**
   * The caller, for fairness and budgets: the name of a key, or another name that identifies callers. Never a key
   * itself.
   */
  readonly caller?: string | undefined
  /** True if the caller reads nothing before `done`: its reply is the fold. Absent: it may stream. */
  readonly isWhole?: boolean | undefined
  /** True if the text of the found pages is read next, so that reading them roughly would be work done twice. */
  readonly readsPages?: boolean | undefined
  /** True if the places of more costly searches are taken: the request is served in the way that costs the backend least. */
  readonly isSparing?: boolean | undefined
  /** Keeps the progress of a research, or continues with it. Such a run is shared with nobody. */
  readonly research?: ResearchRun | undefined
  /** The pages of an answer, read once for what it is written over and for its check. Absent if none may be read. */
  readonly pages?: SourcePages | undefined
  /** Counts the cost of the calls for this request. Absent: nothing is counted. */
  readonly account?: Account | undefined
  /** Collects the notes of the layers about the request, for the log. It stays in this process. */
  readonly trace?: SearchTrace | undefined
}

/**
 * The pages that one search finds. Each is read once, for rows, for what is written over them, and for its check: by what
 * makes answers and by layers, which meet here alone.
 */
export interface SourcePages {
  /** The origin of the words that an answer is written over: the search call writes none if `pages`. */
  readonly source: ExcerptSource
  /** Reads the pages of rows without passages, and returns the rows with what came in time. Throws when aborted. */
  fill(rows: readonly SearchResult[], request: SearchRequest): AsyncGenerator<SearchEvent, FilledRows, undefined>
  /** Begins to read the first pages of rows, while an answer is written over them that has not waited for any. */
  begin(rows: readonly SearchResult[]): void
  /** The text of a page, as it was read for this search or is read now; `undefined` if that fails. Never rejects. */
  page(url: string): Promise<Page | undefined>
  /** The same for a page that was read for this search, or is being read; otherwise `undefined`. */
  known(url: string): Promise<Page | undefined> | undefined
}

/** Rows with the passages and dates of their pages. */
export interface FilledRows {
  /** Without those whose page proves to be outside of the period that was asked for. */
  readonly rows: readonly SearchResult[]
  /** How many pages were late: nobody knows yet whether they can be read. */
  readonly late: number
  /** False if no answer can be written over them: nearly all pages may have failed. */
  readonly isEnough: boolean
}

/** Enters what the calls cost that are made for one request. */
export interface Account {
  /** The events of a call, whose cost is entered. */
  enter(kind: CallKind, backend: string, start: (account: Account) => AsyncIterable<SearchEvent>): SearchEvents
  /** A backend begins with a call. One that was left before, in a queue, has cost nothing. */
  reached(): void
}

/** A list, a list that is merged with it, or the text over them. */
export type CallKind = 'list' | 'further-list' | 'text'

/** The notes of the layers about one request. Parts of a search that run at the same time share it. */
export interface SearchTrace {
  /** The id of the request, in the logs here and at a csp that is asked. */
  readonly id?: string | undefined
  /** In the form of the W3C's header, for a csp that is asked. */
  readonly traceparent?: string | undefined
  /** Starts to count the time spent in a phase; the function returned stops it. Overlapping times count once. */
  begin(phase: 'queued' | 'upstream' | 'pages'): () => void
  /** Why no cached answer was used. */
  uncached(reason: string): void
  /** A backend is asked. */
  asked(backend: string): void
  /** A backend failed, and something else takes its place: another backend, an older answer. */
  replaced(backend: string, failure: SearchError): void
  /** A model was called, as far as this process can see: in an agent's loop once for each message, once for each search. */
  modelCalled(): void
  /** The csp that answers says which model writes there where a request names none. */
  defaultModel(name: string): void
  /** Something that only debugging needs, with the error that caused it. */
  note(message: string, error?: unknown): void
}

/** An executor wrapped around another: cache, queue, deadline. */
export type Layer = (inner: Executor) => Executor
