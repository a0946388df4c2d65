import { BoundedMap } from '@csp/lib/bounded-map'
import { hostOf, parseUrl } from '@csp/lib/url'
import type { Page } from '@csp/page-reader/page'
import { PageError, type PageErrorCode, pageErrorTraits } from '@csp/page-reader/page-error'
import type { AwaitedByPage, PageContext, PageReader } from '@csp/page-reader/page-reader'
import type { UnreadPage } from '../../../domain/unread-pages.ts'

/** One page on its way. */
export interface PageRead {
  readonly page: Page | undefined
  /** Why it could not be read. */
  readonly code: PageErrorCode | undefined
  /** Whether to read it again now would bring nothing else. */
  readonly isFinal: boolean
  /** What it waits for, or waited for when it was given up. */
  readonly awaited: AwaitedByPage
  /** Never rejects. */
  readonly settled: Promise<void>
  /** Gives it up, because nobody waits for it any more. */
  readonly stop: () => void
}

export interface PageReadsOptions {
  /** Pages that are read at the same time, those whose search is over included; 200 by default. */
  readonly capacity?: number | undefined
  /** Monotonic time, ms. */
  readonly now?: (() => number) | undefined
}

interface ReadContext extends Pick<PageContext, 'cache' | 'caller' | 'isLasting'> {
  readonly isRough: boolean
}

/**
 * Reads pages in the background: a read continues when its search is over, so that the page is known when the list is
 * asked for again. A page that could not be read is left alone for ten minutes, and so is a site that did not answer, or
 * wants no readers, twice in a row. That csp was too busy for a page says nothing of it.
 */
export class PageReads {
  readonly #reader: PageReader
  readonly #capacity: number
  readonly #now: () => number
  readonly #running = new Map<AbortController, Promise<void>>()
  /** The last failure of a page or site, by caller and address, the latest last. */
  readonly #failures = new BoundedMap<string, { readonly at: number; readonly times: number }>(maxFailures)
  isClosed = false

  constructor(reader: PageReader, { capacity = 200, now = () => performance.now() }: PageReadsOptions = {}) {
    this.#reader = reader
    this.#capacity = capacity
    this.#now = now
  }

  /** Pages that are being read. */
  get running(): number {
    return this.#running.size
  }

  /** Starts to read a page. `undefined` for one that could not be read lately, or whose site could not. */
  start(url: string, context: ReadContext): PageRead | undefined {
    const [page, site] = failureKeys(url, context)
    if (this.#failuresOf(page) >= 1 || this.#failuresOf(site) >= maxSiteFailures) return undefined
    if (this.isClosed || this.#running.size >= this.#capacity) return busy
    const stop = new AbortController()
    const read = {
      page: undefined,
      code: undefined,
      isFinal: false,
      awaited: 'site',
      stop: () => stop.abort(),
    } as const
    const settled = this.#read(url, context, stop, read).then((outcome) => {
      Object.assign(read, outcome)
      this.#running.delete(stop)
    })
    this.#running.set(stop, settled)
    return Object.assign(read, { settled })
  }

  async #read(
    url: string,
    { isRough, ...context }: ReadContext,
    stop: AbortController,
    read: Pick<PageRead, 'awaited'>,
  ): Promise<Outcome> {
    const timer = setTimeout(() => stop.abort(new DOMException('The page took too long.', 'TimeoutError')), maxReadMs)
    const onWait = (awaited: AwaitedByPage): void => void Object.assign(read, { awaited })
    try {
      const page = await this.#reader.read({ url, isRough }, { ...context, signal: stop.signal, onWait })
      for (const key of failureKeys(url, context)) this.#failures.delete(key)
      return { page, code: undefined, isFinal: true }
    } catch (error) {
      // Its time ran out before its site was asked, or after that had replied.
      if (stop.signal.aborted && read.awaited !== 'site') return { page: undefined, code: 'busy', isFinal: false }
      const isPassing = error instanceof PageError && pageErrorTraits(error.code).isPassing
      if (!isPassing) this.#noteFailure(url, context, error)
      return { page: undefined, code: error instanceof PageError ? error.code : 'failed', isFinal: !isPassing }
    } finally {
      clearTimeout(timer)
    }
  }

  #failuresOf(key: string): number {
    const { at, times } = this.#failures.get(key) ?? { at: Number.NEGATIVE_INFINITY, times: 0 }
    return this.#now() - at < failureMs ? times : 0
  }

  #noteFailure(url: string, context: Pick<PageContext, 'caller'>, error: unknown): void {
    const [page, site] = failureKeys(url, context)
    const isOfSite = error instanceof PageError && pageErrorTraits(error.code).isOfSite
    for (const key of isOfSite ? [page, site] : [page]) {
      this.#failures.set(key, { at: this.#now(), times: this.#failuresOf(key) + 1 })
    }
  }

  /** Stops every read, and waits until they have stopped. */
  async close(): Promise<void> {
    this.isClosed = true
    for (const stop of this.#running.keys()) stop.abort()
    await Promise.all(this.#running.values())
  }
}

/** For a page and for its site. A caller learns nothing of what failed for another. */
function failureKeys(url: string, { caller = '' }: Pick<PageContext, 'caller'>): readonly [string, string] {
  return [`${caller} ${url}`, `${caller} ${parseUrl(url)?.host}`]
}

const maxSiteFailures = 2

type Outcome = Pick<PageRead, 'page' | 'code' | 'isFinal'>

const busy: PageRead = {
  ...{ page: undefined, code: 'busy', isFinal: false, awaited: 'turn' },
  ...{ settled: Promise.resolve(), stop() {} },
}
const maxReadMs = 5000
const failureMs = 600_000
const maxFailures = 2000

/** Those that have not come, by their addresses. */
export function unreadIn(reads: ReadonlyMap<string, PageRead>): readonly UnreadPage[] {
  return [...reads].flatMap(([url, read]) =>
    read.page ? [] : [{ site: hostOf(parseUrl(url)?.host ?? ''), code: codeOf(read) }],
  )
}

/** Of one that is late: csp may be busy, or its site does not answer. */
function codeOf({ code, awaited }: Pick<PageRead, 'code' | 'awaited'>): PageErrorCode {
  return code ?? (awaited === 'site' ? 'timeout' : 'busy')
}

/** By which rule the date of each page was found, for the log, which has no addresses of pages. */
export function datesIn(reads: readonly PageRead[]): string {
  const rules = reads.map((read) => read.page?.publishedBy ?? (read.page ? 'no date' : `not read (${codeOf(read)})`))
  return `Dates of the pages read, in the order of the list: ${rules.join(', ')}`
}
