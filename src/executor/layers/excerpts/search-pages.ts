import { timedOut, withTimeout } from '@csp/lib/abort'
import { deferred } from '@csp/lib/deferred'
import { plainSnippet } from '@csp/lib/snippet'
import { plainLine } from '@csp/lib/text'
import { leadsElsewhere } from '@csp/lib/url'
import type { Page } from '@csp/page-reader/page'
import { choosePassages } from '@csp/passages/passages'
import { abortError, closedError, interruptible } from '../../../domain/abort.ts'
import type { ExcerptSource, SearchEvent, SearchRequest, SearchResult } from '../../../domain/search.ts'
import { isInPeriod } from '../../answer/select-rows.ts'
import type { FilledRows, SearchContext, SourcePages } from '../../executor.ts'
import { type LentPages, withSeen } from './lent-pages.ts'
import { datesIn, type PageRead, type PageReads, unreadIn } from './page-reads.ts'

/** How long rows wait, in ms: for all of their pages, for most of them, and an answer for as many as it can rest on. */
export interface PageWait {
  readonly all: number
  readonly most: number
  readonly some?: number | undefined
}

interface SearchPagesOptions {
  readonly reads: PageReads
  readonly source: ExcerptSource
  readonly query: string
  /** Whether the search is one of a research, or its report. */
  readonly isOfResearch: boolean
  readonly waitMs: PageWait
  readonly today: Date
  readonly context: SearchContext
  readonly memory: LentPages | undefined
  /** Called when every page of some rows is read or has failed, late ones included. */
  readonly onRead: (reads: readonly PageRead[]) => void
}

/** The pages of one search. */
export class SearchPages implements SourcePages {
  readonly #options: SearchPagesOptions
  readonly #reads = new Map<string, PageRead>()
  readonly #passages: Passages
  /** Addresses of pages that have come and were not yet told of. */
  readonly #news: string[] = []

  constructor(options: SearchPagesOptions) {
    this.#options = options
    this.#passages = new Passages(options.query, options.today)
  }

  get source(): ExcerptSource {
    return this.#options.source
  }

  async *fill(
    rows: readonly SearchResult[],
    { filters, want, excerpts, research }: SearchRequest,
  ): AsyncGenerator<SearchEvent, FilledRows, undefined> {
    const { context, query, today, memory: lent, reads: all, waitMs } = this.#options
    if (context.signal.aborted) throw abortError(context.signal)
    // Who asks for passages gets them for every row; otherwise the excerpt that came with it is enough.
    const takesPassages = want === 'answer' || excerpts === 'pages' || research !== undefined
    const wanted = rows.filter(({ snippet, passages }) => !snippet || (takesPassages && !passages))
    const reads = this.#start(wanted)
    if (reads.size === 0) return { rows, late: 0, isEnough: isEnough(rows) }
    yield { type: 'reading', pages: reads.size, maxMs: waitMs.some ?? waitMs.most }
    // The late ones of a list come to nobody; those of an answer go with its end.
    const passages = want === 'answer' ? this.#passages : new Passages(query, today)
    const waited = this.#settled(passages, reads, rows.length)
    if (want === 'answer' && !context.isWhole) yield* this.#asTheyCome(reads, waited)
    await waited
    if (want !== 'answer') passages.close()
    if (all.isClosed) throw closedError()
    const unread = unreadIn(reads)
    if (unread.length > 0) yield { type: 'reading', pages: reads.size, unread }
    const read = rows.map((row) => passages.fill(row))
    const isLate = (url: string) => reads.get(url)?.page === undefined && reads.get(url)?.isFinal === false
    const filled = lent ? await withSeen(read, { ...lent, query, isLate, today, context }) : read
    return {
      rows: filled.filter(({ publishedAt }) => isInPeriod(publishedAt, filters, today)),
      late: [...reads.values()].filter(({ isFinal }) => !isFinal).length,
      isEnough: isEnough(filled),
    }
  }

  begin(rows: readonly SearchResult[]): void {
    if (this.source !== 'pages') return
    const reads = this.#start(rows.slice(0, Math.max(0, maxBegun - this.#reads.size)))
    if (!this.#options.context.isWhole) this.#tellOf(reads)
    for (const [url, read] of reads) void this.#passages.take(url, read)
    const all = [...reads.values()]
    void Promise.all(all.map(({ settled }) => settled)).then(() => this.#options.onRead(all))
  }

  /** What came since the last call, for a reader of a stream. */
  news(): readonly SearchEvent[] {
    return this.#news.splice(0).map((read) => ({ type: 'reading', pages: this.#reads.size, read }))
  }

  #tellOf(reads: ReadonlyMap<string, PageRead>, onNews: () => void = () => {}): void {
    for (const [url, read] of reads) {
      void read.settled.then(() => {
        if (read.page) this.#news.push(url)
        onNews()
      })
    }
  }

  /** Tells of each page that comes, until the wait is over. */
  async *#asTheyCome(reads: ReadonlyMap<string, PageRead>, waited: Promise<void>): AsyncGenerator<SearchEvent> {
    let next = deferred<void>()
    let isOver = false
    this.#tellOf(reads, () => next.resolve())
    const end = () => {
      isOver = true
      next.resolve()
    }
    waited.then(end, end)
    while (!isOver) {
      await next.promise
      next = deferred()
      yield* this.news()
    }
  }

  known(url: string): Promise<Page | undefined> | undefined {
    return this.#reads.has(url) ? this.page(url) : undefined
  }

  async page(url: string): Promise<Page | undefined> {
    const known = this.#reads.get(url)
    const read = known ?? this.#start([{ url }]).get(url)
    if (!known) read?.settled.then(() => this.#options.onRead([read]))
    if (read) await this.#passages.take(url, read)
    return read?.page && !leadsElsewhere(read.page.url, read.page.finalUrl) ? read.page : undefined
  }

  /** The rows without words whose page is here by now, with those of that page. */
  late(rows: readonly SearchResult[], { filters }: SearchRequest): readonly SearchResult[] {
    return rows
      .filter(({ snippet }) => !snippet)
      .map((row) => this.#passages.fill(row))
      .filter(({ snippet, publishedAt }) => snippet && isInPeriod(publishedAt, filters, this.#options.today))
  }

  /** Whether its site is what a page waits for: not its turn, nor a reader that has pages of many lists before it. */
  #isSlow({ awaited }: PageRead): boolean {
    return awaited === 'site' || (awaited === 'reader' && this.#options.reads.running < manyReads)
  }

  /** Nobody waits for them any more. */
  stop(): void {
    for (const { stop } of this.#reads.values()) stop()
  }

  #start(rows: readonly Pick<SearchResult, 'url'>[]): ReadonlyMap<string, PageRead> {
    const { context, reads, isOfResearch: isLasting } = this.#options
    const { cache, caller, readsPages = false } = context
    const how = { cache, caller, isRough: !readsPages, isLasting }
    const started = new Map<string, PageRead>()
    for (const { url } of rows) {
      if (started.has(url)) continue
      const read = this.#reads.get(url) ?? reads.start(url, how)
      if (!read) continue
      this.#reads.set(url, read)
      started.set(url, read)
    }
    return started
  }

  /** Waits until enough pages are read and looked through. */
  async #settled(passages: Passages, reads: ReadonlyMap<string, PageRead>, rowCount: number): Promise<void> {
    const { context, waitMs, onRead } = this.#options
    const endWork = context.trace?.begin('pages')
    const all = [...reads.values()]
    try {
      const taken = [...reads].map(([url, read]) => ({ read, settled: passages.take(url, read) }))
      const hasEnough = () => passages.count >= enoughOf(rowCount)
      await interruptible(
        settledInTime(taken, waitMs, { hasEnough, isSlow: (read) => this.#isSlow(read) }),
        context.signal,
      )
    } catch (error) {
      this.stop()
      throw error
    } finally {
      endWork?.()
      context.trace?.note(datesIn(all))
    }
    // A late page is no failed one: what came of it is known after the reply.
    Promise.all(all.map(({ settled }) => settled)).then(() => onRead(all))
  }
}

/** An answer of several searches has many pages, and cites some: those are read all the same. */
const maxBegun = 15

/** An answer over one page of ten would be that page's. */
const enoughOf = (rowCount: number) => Math.min(2, rowCount)

function isEnough(rows: readonly SearchResult[]): boolean {
  return rows.filter(({ snippet }) => snippet).length >= enoughOf(rows.length)
}

interface TakenPage {
  readonly read: PageRead
  readonly settled: Promise<void>
}

/**
 * The slowest few sites do not set the pace: their pages come with the next equal request. Nor, once the first wait is
 * over, do pages that csp itself is late with.
 */
async function settledInTime(
  pages: readonly TakenPage[],
  { all, most, some }: PageWait,
  { hasEnough, isSlow }: { readonly hasEnough: () => boolean; readonly isSlow: (read: PageRead) => boolean },
) {
  const left = new Set(pages)
  const settled = pages.map(async (page) => {
    await page.settled
    left.delete(page)
  })
  const isFew = (count: number) => count <= pages.length * lateShare
  const slow = () => [...left].filter(({ read }) => isSlow(read)).length
  const stages = [
    { untilMs: all, isReached: () => left.size === 0 },
    { untilMs: most, isReached: () => isFew(left.size) || (hasEnough() && isFew(slow())) },
    ...(some === undefined ? [] : [{ untilMs: some, isReached: () => left.size === 0 || hasEnough() }]),
  ]
  let passedMs = 0
  for (const { untilMs, isReached } of stages) {
    if ((await withTimeout(reached(settled, isReached), untilMs - passedMs)) !== timedOut) return
    passedMs = untilMs
  }
}

/** Resolves when a condition holds that changes as reads settle. */
function reached(reads: readonly Promise<void>[], isReached: () => boolean): Promise<void> {
  const { promise, resolve } = deferred<void>()
  const look = () => {
    if (isReached()) resolve()
  }
  look()
  for (const read of reads) read.then(look)
  return promise
}

/** Pages of three lists, that are read at once. */
const manyReads = 30
/** The slowest few. */
export const lateShare = 0.2

/** What the rows of a search have from their pages. */
class Passages {
  readonly #today: Date
  readonly #query: string
  readonly #byUrl = new Map<string, PageExcerpt>()
  readonly #taken = new Map<string, Promise<void>>()
  #looking = Promise.resolve()
  #isClosed = false

  constructor(query: string, today: Date) {
    this.#query = query
    this.#today = today
  }

  /** The pages with words that serve. */
  get count(): number {
    return [...this.#byUrl.values()].filter(({ passages }) => passages.length > 0).length
  }

  /** Resolves when the page is read and looked through: one at a time, so that the server answers others in between. */
  take(url: string, read: PageRead): Promise<void> {
    const taken = this.#taken.get(url) ?? this.#take(url, read)
    this.#taken.set(url, taken)
    return taken
  }

  async #take(url: string, read: PageRead): Promise<void> {
    await read.settled
    const { page } = read
    if (!page) return
    this.#looking = this.#looking.then(() => new Promise((resolve) => setTimeout(resolve)))
    await this.#looking
    if (this.#isClosed || leadsElsewhere(page.url, page.finalUrl)) return
    const { content, description = '', publishedAt } = page
    const passages = choosePassages(content, this.#query).map(plainLine)
    this.#byUrl.set(url, {
      passages:
        passages.length > 0 ? passages : [plainSnippet(plainLine(description))].filter((text) => text !== undefined),
      publishedAt: sensibleDate(publishedAt, this.#today),
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

/** Ignores implausible dates: before the web or in the future. */
function sensibleDate(date: string | undefined, today: Date): string | undefined {
  const latest = new Date(today.getTime() + dayMs).toISOString()
  return date !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(date) && date >= '1990' && date <= latest ? date : undefined
}

const dayMs = 86_400_000
