import { BoundedMap } from '@csp/lib/bounded-map'
import { deferred } from '@csp/lib/deferred'
import { pageKey } from '@csp/lib/url'
import { abortError, interruptible } from '../../../domain/abort.ts'
import { collect, totalUsage } from '../../../domain/answer.ts'
import type {
  Answer,
  ListRequest,
  SearchEvent,
  SearchEvents,
  SearchRequest,
  SearchResult,
} from '../../../domain/search.ts'
import type { Executor, Layer, SearchContext } from '../../executor.ts'
import { type CacheScope, scopedKey } from '../cache/request-key.ts'
import { layer } from '../layer.ts'

export interface PagedOptions {
  /** A first page is made of rows no older than this; 0: always of a search of its own. Later pages: an hour. */
  readonly ttlSeconds: number
  /** `all` by default. */
  readonly scope?: CacheScope | undefined
  /** Queries whose rows are kept; 200 by default. */
  readonly capacity?: number | undefined
  /** Milliseconds since 1970, as the cache counts ages: monotonic time stands still while a machine sleeps. */
  readonly now?: (() => number) | undefined
}

/**
 * Counts and pages of result lists, over a backend that returns as many rows as it finds. The rows of a query are kept
 * in memory, so that no page repeats a row. A count is the most that a caller wants: where one search brings fewer than
 * half of it, a second one is made, whose request names the known rows; never a third. Without a count a page is what one search brings: model
 * calls are the user's money, and a vendor's default count is not a request of the caller.
 */
export function paged(options: PagedOptions): Layer {
  return (inner) => {
    const pages = new Pages(inner, options)
    return layer(inner, { search: (request, context) => pages.search(request, context) })
  }
}

/** What is known of one query. */
interface Book {
  /** In the order found, by the page that a URL names. */
  readonly rows: Map<string, SearchResult>
  readonly openedAt: number
  /** Which rows were given for an offset. */
  readonly given: Map<number, { readonly start: number; readonly end: number; readonly limit: number | undefined }>
  /** How many rows the first search brought. */
  firstRows: number
  /** Whether a search brought nothing new. */
  isExhausted: boolean
  model: string
  /** The backend that answered last. */
  backend: string | undefined
  /** The model that made the searches, where one did. */
  searchModel: string | undefined
  /** Settles when the search that runs for this query now has finished. */
  running: Promise<void>
}

class Pages {
  readonly #inner: Executor
  readonly #ttlMs: number
  readonly #scope: CacheScope | undefined
  readonly #now: () => number
  /** By the request without its page; the one used last stands last. */
  readonly #books: BoundedMap<string, Book>

  constructor(inner: Executor, { ttlSeconds, scope, capacity = 200, now = () => Date.now() }: PagedOptions) {
    this.#inner = inner
    this.#scope = scope
    this.#ttlMs = Math.min(ttlSeconds * 1000, hourMs)
    this.#books = new BoundedMap(capacity)
    this.#now = now
  }

  async *search(request: SearchRequest, context: SearchContext): SearchEvents {
    if (request.want !== 'results') return yield* this.#inner.search(request, context)
    if (context.signal.aborted) throw abortError(context.signal)
    const book = this.#bookFor(request, context)
    const finished = await enter(book, context.signal)
    try {
      yield* this.#page(book, request, context)
    } finally {
      finished()
    }
  }

  async *#page(book: Book, request: ListRequest, context: SearchContext): AsyncGenerator<SearchEvent> {
    const { query, offset = 0, limit } = request
    const made: Answer[] = []
    const isShort = () => book.rows.size < startOf(book, offset) + Math.ceil((limit ?? 1) / 2)
    while (isShort() && !book.isExhausted && made.length < maxSearches) {
      const answer = await this.#searchMore(book, request, context)
      if (!answer) break
      made.push(answer)
      note(book, answer)
    }
    const start = startOf(book, offset)
    const rows = [...book.rows.values()].slice(start, endOf(book, offset, start, limit))
    book.given.set(offset, { start, end: Math.max(start + rows.length, book.given.get(offset)?.end ?? 0), limit })
    if (made.length === 0)
      yield { type: 'cache', status: 'hit', ageSeconds: Math.floor((this.#now() - book.openedAt) / 1000) }
    if (book.backend !== undefined) yield { type: 'backend', name: book.backend }
    const { results: _, ...search } = made[0]?.searches[0] ?? {
      id: 'known',
      query,
      model: book.searchModel,
      results: [],
    }
    yield { type: 'search-start', ...search }
    yield { type: 'search-results', id: search.id, results: rows }
    yield { type: 'done', reason: 'stop', usage: totalUsage(made.map(({ usage }) => usage)), model: book.model }
  }

  /** Searches for rows behind the known ones. If some rows for this page are known, a failure still returns those. */
  async #searchMore(
    book: Book,
    { limit: _, offset = 0, ...request }: ListRequest,
    context: SearchContext,
  ): Promise<Answer | undefined> {
    const known = [...(request.exclude ?? []), ...[...book.rows.values()].map(({ url }) => url)]
    const exclude = known.length > 0 ? known : undefined
    const cursor = (request.cursor ?? 0) + book.rows.size || undefined
    const listedBy = request.merge && cursor ? { listedBy: countsOf(book.rows.values()) } : {}
    try {
      return await collect(this.#inner.search({ ...request, exclude, cursor, ...listedBy }, context))
    } catch (error) {
      if (context.signal.aborted) throw abortError(context.signal)
      if (book.rows.size <= startOf(book, offset)) throw error
      context.trace?.note('A further search failed, so the page is short', error)
      return undefined
    }
  }

  #bookFor({ limit: _, offset, ...query }: ListRequest, { cache = 'default', caller }: SearchContext): Book {
    const book = emptyBook(this.#now())
    if (cache === 'no-store') return book
    const key = scopedKey(query, caller, this.#scope)
    const kept = this.#books.get(key)
    // That nothing was found may change soon.
    const isEmpty = kept?.isExhausted && kept.rows.size === 0
    const maximumAge = Math.min(offset ? hourMs : this.#ttlMs, isEmpty ? emptyMs : hourMs)
    const age = this.#now() - (kept?.openedAt ?? 0)
    // The clock may have been set back.
    const isFresh = kept !== undefined && cache === 'default' && age >= 0 && age < maximumAge
    const chosen = isFresh ? kept : book
    this.#books.set(key, chosen)
    return chosen
  }
}

const hourMs = 3_600_000
/** As long as the cache keeps an empty answer. */
const emptyMs = 60_000
const maxSearches = 2

function emptyBook(openedAt: number): Book {
  const state = {
    firstRows: 0,
    isExhausted: false,
    model: '',
    backend: undefined,
    searchModel: undefined,
    running: Promise.resolve(),
  }
  return { rows: new Map(), openedAt, given: new Map(), ...state }
}

/** How many of the rows each backend listed. */
function countsOf(rows: Iterable<SearchResult>): Readonly<Record<string, number>> {
  const counts = new Map<string, number>()
  for (const { source } of rows) for (const name of source.split(', ')) counts.set(name, (counts.get(name) ?? 0) + 1)
  return Object.fromEntries(counts)
}

/**
 * The row that a page begins with. A page before it may have had fewer rows than its offset counts: then this one goes
 * on where that ended. Where no page before it was asked for, the rows of the first search count as that page.
 */
function startOf({ given, firstRows }: Book, offset: number): number {
  const before = [...given].filter(([other]) => other < offset).map(([, { end }]) => end)
  const same = given.get(offset)
  return same?.start ?? Math.min(offset, before.length > 0 ? Math.max(...before) : firstRows)
}

/** Where a page ends: where the same one ended before, so that it does not grow into the pages behind it. */
function endOf({ given, firstRows, rows }: Book, offset: number, start: number, limit: number | undefined): number {
  const before = given.get(offset)
  if (limit === undefined) return before?.end ?? (offset === 0 ? firstRows : rows.size)
  const isFollowed = [...given.keys()].some((other) => other > offset)
  return isFollowed && before?.limit === limit ? before.end : start + limit
}

/** Waits until no other search for the same query runs, and returns the function that lets the next one in. */
async function enter(book: Book, signal: AbortSignal): Promise<() => void> {
  const before = book.running
  const own = deferred<void>()
  book.running = before.then(() => own.promise)
  try {
    await interruptible(before, signal)
  } catch (error) {
    own.resolve()
    throw error
  }
  return own.resolve
}

function note(book: Book, { searches, model, backend }: Answer): void {
  const before = book.rows.size
  for (const row of searches.flatMap(({ results }) => results)) {
    const key = pageKey(row.url)
    if (!book.rows.has(key)) book.rows.set(key, row)
  }
  if (before === 0) book.firstRows = book.rows.size
  book.isExhausted = book.rows.size === before
  book.model = model
  book.backend = backend
  book.searchModel = searches[0]?.model
}
