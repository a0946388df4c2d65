import { attended } from '@csp/lib/attended'
import { pageKey } from '@csp/lib/url'
import type { PageReader } from '@csp/page-reader/page-reader'
import { abortError } from '../../../domain/abort.ts'
import { collect, sourcesOf, totalUsage } from '../../../domain/answer.ts'
import type {
  ExcerptSource,
  ListRequest,
  SearchEvent,
  SearchEvents,
  SearchRequest,
  SearchResult,
} from '../../../domain/search.ts'
import type { Executor, Layer, SearchContext } from '../../executor.ts'
import { layer } from '../layer.ts'
import type { LentPages } from './lent-pages.ts'
import { type PageRead, PageReads } from './page-reads.ts'
import { lateShare, type PageWait, SearchPages } from './search-pages.ts'

export interface ExcerptedOptions {
  readonly reader: PageReader
  /**
   * For requests that do not say. `auto`: from pages, and from lines while those of many lists are read already, or for
   * a while where no page at all can be read, as behind a proxy that csp does not know.
   */
  readonly source: 'auto' | ExcerptSource
  /** By default 1 and 1.5 s for a list, 0.6, 0.85 and 2.5 s for an answer. */
  readonly waitMs?: PageWait | undefined
  /** Monotonic time, ms. */
  readonly now?: (() => number) | undefined
  readonly today?: (() => Date) | undefined
  /** Lends the text of a page that is slow today. Absent if nothing is kept. */
  readonly memory?: LentPages | undefined
}

/**
 * Reads the pages that a list has found, all at once, and takes excerpts and dates from them for the rows that have
 * none. The search itself need not write any. A page that is not there in time leaves its row without an excerpt. The
 * read continues after the reply, and the answer counts as degraded, so that the next equal request gets the rest. Where
 * no page can be read, a search that a model made is made again for its lines, unless the pages were asked for by name.
 */
export function excerpted(pages: PageExcerpts): Layer {
  return (inner) =>
    layer(inner, {
      search: (request, context) =>
        request.want === 'results' ? pages.list(inner, request, context) : inner.search(request, context),
      close: async () => void (await Promise.all([inner.close(), pages.close()])),
    })
}

/** Gives each answer the pages that it rests on. What comes of them while it is written goes with its end. */
export function overPages(excerpts: Pick<PageExcerpts, 'of'>): Layer {
  return (inner) =>
    layer(inner, {
      search(request, context) {
        const pages = excerpts.of(request, context)
        return withLate(inner.search(request, { ...context, pages }), pages, request, context)
      },
    })
}

/** Has the pages read of all that is searched. */
export class PageExcerpts {
  readonly #options: ExcerptedOptions
  readonly #reads: PageReads
  readonly #now: () => number
  /** Lists in a row without one page that could be read; and pages, those of an answer among them, since the last list. */
  #vainLists = 0
  #vainReads = 0
  #lastPageAt = Number.NEGATIVE_INFINITY
  #linesUntil = Number.NEGATIVE_INFINITY

  constructor(options: ExcerptedOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
    this.#reads = new PageReads(options.reader, { now: this.#now })
  }

  close(): Promise<void> {
    return this.#reads.close()
  }

  /** The pages of one search. */
  of({ query, want, research, excerpts = this.#sourceNow() }: SearchRequest, context: SearchContext): SearchPages {
    const kind = want === 'answer' ? 'answer' : research ? 'research' : 'list'
    const { today = () => new Date(), memory, waitMs = defaultWaitMs[kind] } = this.#options
    const onRead = (reads: readonly PageRead[]) => this.#learn(reads)
    const isOfResearch = research !== undefined
    const common = { reads: this.#reads, source: excerpts, query, isOfResearch, waitMs, today: today() }
    return new SearchPages({ ...common, context, memory, onRead })
  }

  async *list(inner: Executor, request: ListRequest, context: SearchContext): SearchEvents {
    const pages = this.of(request, context)
    if (pages.source !== 'pages') return yield* inner.search({ ...request, excerpts: pages.source }, context)

    const beganAt = this.#now()
    const mayTakeLines = this.#options.source === 'auto' && !request.excerpts && !request.offset
    const wordless: ResultsEvent[] = []
    let isComplete = true
    let hasModel = false
    let done: DoneEvent | undefined
    for await (const event of inner.search({ ...request, excerpts: 'none' }, context)) {
      if (event.type === 'search-start') hasModel ||= event.model !== undefined
      if (event.type === 'search-results') {
        const filled = yield* pages.fill(event.results, request)
        isComplete &&= filled.late === 0
        const found = { ...event, results: filled.rows }
        // Late pages come for the next list. They may well be late because csp is busy, which more searches do not mend.
        const isUnreadable = filled.late <= event.results.length * lateShare
        const isWritable = mayTakeLines && hasModel && isUnreadable && isWordless(filled.rows)
        if (isWritable && this.#now() - beganAt < maxBeforeLinesMs) wordless.push(found)
        else yield found
      } else if (event.type === 'done') done = event
      else yield event
    }
    if (!done) return
    // Behind the end of the first search, which holds its place in the queue until then.
    if (wordless.length === 0) yield isComplete ? done : { ...done, isDegraded: true }
    else yield* withLines(inner.search({ ...request, excerpts: 'lines' }, context), context, wordless, done)
  }

  #sourceNow(): ExcerptSource {
    const { source } = this.#options
    if (source !== 'auto') return source
    return this.#reads.running >= maxReads || this.#now() < this.#linesUntil ? 'lines' : 'pages'
  }

  /** One site that is down is no sign; that no page of several lists could be read is one. */
  #learn(reads: readonly PageRead[]): void {
    if (reads.some(({ page }) => page)) {
      this.#vainLists = 0
      this.#vainReads = 0
      this.#lastPageAt = this.#now()
      return
    }
    if (!reads.every(({ isFinal }) => isFinal) || this.#now() - this.#lastPageAt <= busyMs) return
    this.#vainReads += reads.length
    if (this.#vainReads < minReads) return
    this.#vainReads = 0
    this.#vainLists++
    // Nothing says that pages can be read at all.
    const isFirst = this.#lastPageAt === Number.NEGATIVE_INFINITY
    if (!isFirst && this.#vainLists < maxVainLists) return
    this.#vainLists = 0
    this.#linesUntil = this.#now() + vainMs
  }
}

type ResultsEvent = Extract<SearchEvent, { type: 'search-results' }>
type DoneEvent = Extract<SearchEvent, { type: 'done' }>

/** The end of a list none of whose pages could be read: the rows of a second search, whose model writes a line for each. */
async function* withLines(
  second: AsyncIterable<SearchEvent>,
  { signal, trace }: SearchContext,
  wordless: readonly ResultsEvent[],
  done: DoneEvent,
): SearchEvents {
  try {
    const { searches, usage } = await collect(second)
    const written = sourcesOf(searches)
    for (const event of wordless) yield { ...event, results: joined(written, event.results) }
    yield { ...done, usage: totalUsage([done.usage, usage]) }
  } catch (error) {
    if (signal.aborted) throw abortError(signal)
    trace?.note('The search for lines failed, so the rows have no words', error)
    yield* wordless
    yield { ...done, isDegraded: true }
  }
}

/** What comes of the pages of an answer while it is written goes with its end. */
function withLate(
  events: AsyncIterable<SearchEvent>,
  pages: Pick<SearchPages, 'late' | 'stop' | 'news'>,
  request: SearchRequest,
  { signal }: Pick<SearchContext, 'signal'>,
): SearchEvents {
  const rows: SearchResult[] = []
  return attended(() => ({
    items: events,
    instead(event) {
      if (event.type === 'search-results') rows.push(...event.results)
      // Nothing stands before these two.
      if (event.type === 'cache' || event.type === 'backend') return [event]
      if (event.type !== 'done') return [...pages.news(), event]
      const late = [...(event.late ?? []), ...pages.late(rows, request)]
      return [{ ...event, ...(late.length > 0 && { late }) }]
    },
    onEnd: () => signal.aborted && pages.stop(),
  }))
}

function isWordless(rows: readonly SearchResult[]): boolean {
  return rows.length > 0 && rows.every(({ snippet }) => !snippet)
}

/** As many rows as the longer list has, those with words first. */
function joined(written: readonly SearchResult[], first: readonly SearchResult[]): readonly SearchResult[] {
  const known = new Set(written.map(({ url }) => pageKey(url)))
  const others = first.filter(({ url }) => !known.has(pageKey(url)))
  return [...written, ...others].slice(0, Math.max(written.length, first.length))
}

/** A reader of an answer waits for its writing as well; a report is written over many lists, and nobody hurries. */
const defaultWaitMs = {
  list: { all: 1000, most: 1500 },
  answer: { all: 600, most: 850, some: 2500 },
  research: { all: 2500, most: 4000 },
}
/** The reader takes so many pages at once; those of another list would come too late. */
const maxReads = 100
const minReads = 3
const maxVainLists = 2
/** Where pages came so lately, others fail because the machine or its network is busy. */
const busyMs = 60_000
const vainMs = 600_000
/** Beyond it, a second search would come too late for clients that wait 15 s. */
const maxBeforeLinesMs = 7000
