import { abortError, interruptible } from '../../../domain/abort.ts'
import { SearchError } from '../../../domain/error.ts'
import type { Page } from '../../../domain/page.ts'
import type { SearchEvents, SearchRequest, SearchResult } from '../../../domain/search.ts'
import { late, withTimeout } from '../../../lib/abort.ts'
import { deferred } from '../../../lib/deferred.ts'
import { plainLine } from '../../../lib/text.ts'
import type { PageReader } from '../../../pages/page-reader.ts'
import { choosePassages } from '../../answer/passages/passages.ts'
import { plainSnippet } from '../../answer/row-text.ts'
import { isInPeriod } from '../../answer/select-rows.ts'
import type { Executor, Layer, SearchContext } from '../../executor.ts'
import { layer } from '../layer.ts'
import { type PageRead, PageReads } from './page-reads.ts'

export interface ExcerptedOptions {
  readonly reader: PageReader
  /**
   * For requests that do not say. `auto`: from pages, and from lines where those of several lists are read already, or
   * for a while where no page at all can be read, as behind a proxy that csp does not know.
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
  /** Lists under way whose pages are read. */
  #lists = 0
  /** Lists in a row without one page that could be read. */
  #vainLists = 0
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

    this.#lists++
    try {
      yield* this.#searchAndRead(request, context)
    } finally {
      this.#lists--
    }
  }

  async *#searchAndRead(request: SearchRequest, context: SearchContext): SearchEvents {
    let isComplete = true
    for await (const event of this.#inner.search({ ...request, excerpts: 'none' }, context)) {
      if (event.type === 'search-results') {
        const filled = await this.#fill(event.results, request, context)
        isComplete &&= filled.isComplete
        yield { ...event, results: filled.rows }
      } else if (event.type === 'done' && !isComplete) yield { ...event, isDegraded: true }
      else yield event
    }
  }

  #sourceNow(): 'lines' | 'pages' | 'none' {
    const { source } = this.#options
    if (source !== 'auto') return source
    return this.#lists >= maxLists || this.#now() < this.#linesUntil ? 'lines' : 'pages'
  }

  async #fill(
    rows: readonly SearchResult[],
    request: SearchRequest,
    { signal, cache, caller, trace }: SearchContext,
  ): Promise<{ readonly rows: readonly SearchResult[]; readonly isComplete: boolean }> {
    if (signal.aborted) throw abortError(signal)
    const reads = new Map<string, PageRead>()
    for (const { url, snippet } of rows) {
      const read = snippet || reads.has(url) ? undefined : this.#reads.start(url, { cache, caller })
      if (read) reads.set(url, read)
    }
    if (reads.size === 0) return { rows, isComplete: true }
    const all = [...reads.values()]
    const endWork = trace?.begin('upstream')
    try {
      await interruptible(settledInTime(all, this.#options.waitMs ?? defaultWaitMs), signal)
    } finally {
      endWork?.()
    }
    if (this.#reads.isClosed) throw new SearchError('unavailable', 'The server is shutting down.')
    this.#learn(all)
    const today = this.#options.today?.() ?? new Date()
    const filled = rows.map((row) => withPage(row, reads.get(row.url)?.page, request.query, today))
    return {
      rows: filled.filter(({ publishedAt }) => isInPeriod(publishedAt, request.filters, today)),
      isComplete: all.every(({ isFinal }) => isFinal),
    }
  }

  /** One site that is down is no sign; that no page of several lists could be read is one. */
  #learn(reads: readonly PageRead[]): void {
    if (reads.some(({ page }) => page)) this.#vainLists = 0
    else if (reads.length >= minReads) this.#vainLists++
    if (this.#vainLists < maxVainLists) return
    this.#vainLists = 0
    this.#linesUntil = this.#now() + vainMs
  }
}

/** The slowest few sites do not set the pace: their pages come with the next equal request. */
async function settledInTime(reads: readonly PageRead[], waitMs: { readonly all: number; readonly most: number }) {
  let left = reads.length
  const most = deferred<void>()
  const all = Promise.all(
    reads.map(async ({ settled }) => {
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
/** So many have most of their pages in time: the reader takes eight pages at once. */
const maxLists = 3
const minReads = 3
const maxVainLists = 2
const vainMs = 600_000

function withPage(row: SearchResult, page: Page | undefined, query: string, today: Date): SearchResult {
  if (!page || isElsewhere(page)) return row
  const [snippet, ...passages] = choosePassages(page.content, query).map(plainLine)
  return {
    ...row,
    snippet: snippet ?? plainSnippet(plainLine(page.description ?? '')),
    ...(passages.length > 0 && { passages }),
    publishedAt: row.publishedAt ?? sensibleDate(page.publishedAt, today),
  }
}

/** Sites send readers of a page that is gone, or of one behind a login, to their front page. */
function isElsewhere({ url, finalUrl }: Page): boolean {
  const asked = URL.parse(url)
  const got = URL.parse(finalUrl)
  return asked !== null && got !== null && asked.pathname !== '/' && got.pathname === '/' && got.search === ''
}

/** A page may name any date: one before the web or in the future is none. */
function sensibleDate(date: string | undefined, today: Date): string | undefined {
  const latest = new Date(today.getTime() + dayMs).toISOString().slice(0, 10)
  return date !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(date) && date >= '1990' && date <= latest ? date : undefined
}

const dayMs = 86_400_000
