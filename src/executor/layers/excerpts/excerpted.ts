import { abortError, interruptible } from '../../../domain/abort.ts'
import { SearchError } from '../../../domain/error.ts'
import type { Page } from '../../../domain/page.ts'
import type { SearchEvents, SearchRequest, SearchResult } from '../../../domain/search.ts'
import { late, withTimeout } from '../../../lib/abort.ts'
import { deferred } from '../../../lib/deferred.ts'
import { plainLine } from '../../../lib/text.ts'
import { parseUrl } from '../../../lib/url.ts'
import type { PageReader } from '../../../page-reader/page-reader.ts'
import { choosePassages } from '../../answer/passages/passages.ts'
import { plainSnippet } from '../../answer/row-text.ts'
import { isInPeriod } from '../../answer/select-rows.ts'
import type { Executor, Layer, SearchContext } from '../../executor.ts'
import { layer } from '../layer.ts'
import { type PageRead, PageReads } from './page-reads.ts'

export interface ExcerptedOptions {
  readonly reader: PageReader
  /**
   * For requests that do not say. `auto`: from pages, and from lines while those of many lists are read already, or for
   * a while where no page at all can be read, as behind a proxy that csp does not know.
   */
  readonly source: 'auto' | 'lines' | 'pages' | 'none'
  /** How long the rows of a list wait for all of their pages, and how long for most of them; 1 s and 1.5 s by default. */
  readonly waitMs?: { readonly all: number; readonly most: number } | undefined
  /** Monotonic time, ms. */
  readonly now?: (() => number) | undefined
  readonly today?: (() => Date) | undefined
}

/**
 * Reads the pages that a list has found, all at once, and takes excerpts and dates from them for the rows that have
 * none. The search itself need not write any. A page that is not there in time leaves its row without an excerpt; the
 * read goes on behind the reply, and the answer counts as degraded, so that the next equal request gets the rest.
 * Written answers pass through: their sources must not wait.
 */
export function excerpted(options: ExcerptedOptions): Layer {
  return (inner) => {
    const excerpts = new PageExcerpts(inner, options)
    return layer(inner, {
      search: (request, context) => excerpts.search(request, context),
      close: async () => void (await Promise.all([inner.close(), excerpts.close()])),
    })
  }
}

class PageExcerpts {
  readonly #inner: Executor
  readonly #options: ExcerptedOptions
  readonly #reads: PageReads
  readonly #now: () => number
  /** Lists in a row without one page that could be read. */
  #vainLists = 0
  #lastPageAt = Number.NEGATIVE_INFINITY
  #linesUntil = Number.NEGATIVE_INFINITY

  constructor(inner: Executor, options: ExcerptedOptions) {
    this.#inner = inner
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
    this.#reads = new PageReads(options.reader, { now: this.#now })
  }

  close(): Promise<void> {
    return this.#reads.close()
  }

  async *search(request: SearchRequest, context: SearchContext): SearchEvents {
    if (request.want !== 'results') return yield* this.#inner.search(request, context)
    const excerpts = request.excerpts ?? this.#sourceNow()
    if (excerpts !== 'pages') return yield* this.#inner.search({ ...request, excerpts }, context)

    let isComplete = true
    for await (const event of this.#inner.search({ ...request, excerpts: 'none' }, context)) {
      if (event.type === 'search-results') {
        const reads = this.#startReads(event.results, request, context)
        if (reads.size > 0) yield { type: 'reading', pages: reads.size }
        const filled = await this.#fill(event.results, reads, request, context)
        isComplete &&= filled.isComplete
        yield { ...event, results: filled.rows }
      } else if (event.type === 'done' && !isComplete) yield { ...event, isDegraded: true }
      else yield event
    }
  }

  #sourceNow(): 'lines' | 'pages' | 'none' {
    const { source } = this.#options
    if (source !== 'auto') return source
    return this.#reads.running >= maxReads || this.#now() < this.#linesUntil ? 'lines' : 'pages'
  }

  #startReads(
    rows: readonly SearchResult[],
    request: SearchRequest,
    { signal, cache, caller, readsPages = false }: SearchContext,
  ): ReadonlyMap<string, PageRead> {
    if (signal.aborted) throw abortError(signal)
    const reads = new Map<string, PageRead>()
    // Who asks for passages gets them for every row; otherwise the excerpt that came with it is enough.
    const isWanted = ({ snippet, passages }: SearchResult) => !snippet || (request.excerpts === 'pages' && !passages)
    for (const row of rows) {
      if (!isWanted(row) || reads.has(row.url)) continue
      const read = this.#reads.start(row.url, { cache, caller, isRough: !readsPages })
      if (read) reads.set(row.url, read)
    }
    return reads
  }

  async #fill(
    rows: readonly SearchResult[],
    reads: ReadonlyMap<string, PageRead>,
    request: SearchRequest,
    { signal, trace }: SearchContext,
  ): Promise<{ readonly rows: readonly SearchResult[]; readonly isComplete: boolean }> {
    if (reads.size === 0) return { rows, isComplete: true }
    const all = [...reads.values()]
    const endWork = trace?.begin('upstream', 'pages')
    const excerpts = new Excerpts(request.query, this.#options.today?.() ?? new Date())
    try {
      const taken = [...reads].map(([url, read]) => excerpts.take(url, read))
      await interruptible(settledInTime(taken, this.#options.waitMs ?? defaultWaitMs), signal)
    } finally {
      excerpts.close()
      endWork?.()
    }
    if (this.#reads.isClosed) throw new SearchError('unavailable', 'The server is shutting down.')
    // A late page is no failed one: what came of it is known behind the reply.
    Promise.all(all.map(({ settled }) => settled)).then(() => this.#learn(all))
    const filled = rows.map((row) => excerpts.fill(row))
    return {
      rows: filled.filter(({ publishedAt }) => isInPeriod(publishedAt, request.filters, excerpts.today)),
      isComplete: all.every(({ isFinal }) => isFinal),
    }
  }

  /** One site that is down is no sign; that no page of several lists could be read is one. */
  #learn(reads: readonly PageRead[]): void {
    const isVain = reads.length >= minReads && reads.every(({ isFinal }) => isFinal)
    if (reads.some(({ page }) => page)) {
      this.#vainLists = 0
      this.#lastPageAt = this.#now()
    } else if (isVain && this.#now() - this.#lastPageAt > busyMs) this.#vainLists++
    if (this.#vainLists < maxVainLists) return
    this.#vainLists = 0
    this.#linesUntil = this.#now() + vainMs
  }
}

/** The slowest few sites do not set the pace: their pages come with the next equal request. */
async function settledInTime(reads: readonly Promise<void>[], waitMs: { readonly all: number; readonly most: number }) {
  let left = reads.length
  const most = deferred<void>()
  const all = Promise.all(
    reads.map(async (settled) => {
      await settled
      left--
      if (left <= reads.length * lateShare) most.resolve()
    }),
  )
  const isLate = (await withTimeout(all, waitMs.all)) === late
  if (isLate) await withTimeout(most.promise, waitMs.most - waitMs.all)
}

const defaultWaitMs = { all: 1000, most: 1500 }
const lateShare = 0.2
/** The reader takes so many pages at once; those of another list would come too late. */
const maxReads = 100
const minReads = 3
const maxVainLists = 2
/** Where pages came so lately, others fail because the machine or its network is busy. */
const busyMs = 60_000
const vainMs = 600_000

/** What the rows of a list have from their pages. */
class Excerpts {
  readonly today: Date
  readonly #query: string
  readonly #byUrl = new Map<string, PageExcerpt>()
  #looking = Promise.resolve()
  #isClosed = false

  constructor(query: string, today: Date) {
    this.#query = query
    this.today = today
  }

  /** Resolves when the page is read and looked through: one at a time, so that the server answers others in between. */
  async take(url: string, read: PageRead): Promise<void> {
    await read.settled
    if (!read.page) return
    this.#looking = this.#looking.then(() => new Promise((resolve) => setTimeout(resolve)))
    await this.#looking
    if (this.#isClosed || !read.page || isElsewhere(read.page)) return
    const { content, description = '', publishedAt } = read.page
    const passages = choosePassages(content, this.#query).map(plainLine)
    this.#byUrl.set(url, {
      passages: passages.length > 0 ? passages : [plainSnippet(plainLine(description))].filter(isText),
      publishedAt: sensibleDate(publishedAt, this.today),
    })
  }

  /** Pages that come later are not looked at. */
  close(): void {
    this.#isClosed = true
  }

  fill(row: SearchResult): SearchResult {
    const found = this.#byUrl.get(row.url)
    if (!found) return row
    const snippet = row.snippet || found.passages[0]
    const passages = found.passages.filter((passage) => passage !== snippet)
    return {
      ...row,
      snippet,
      ...(passages.length > 0 && { passages: passages.slice(0, maxPassages) }),
      publishedAt: row.publishedAt ?? found.publishedAt,
    }
  }
}

interface PageExcerpt {
  /** The best first. */
  readonly passages: readonly string[]
  readonly publishedAt: string | undefined
}

const maxPassages = 5

function isText(text: string | undefined): text is string {
  return text !== undefined
}

/** Sites send readers of a page that is gone, or of one behind a login, to their front page. */
function isElsewhere({ url, finalUrl }: Page): boolean {
  const asked = parseUrl(url)
  const got = parseUrl(finalUrl)
  return asked !== null && got !== null && asked.pathname !== '/' && got.pathname === '/' && got.search === ''
}

/** Ignores implausible dates: before the web or in the future. */
function sensibleDate(date: string | undefined, today: Date): string | undefined {
  const latest = new Date(today.getTime() + dayMs).toISOString().slice(0, 10)
  return date !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(date) && date >= '1990' && date <= latest ? date : undefined
}

const dayMs = 86_400_000
