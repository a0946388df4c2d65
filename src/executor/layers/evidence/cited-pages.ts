import { checkingSentences, checkSentences, maxPageLength } from '@csp/evidence/check'
import type { Evidence } from '@csp/evidence/evidence'
import { PageIndex } from '@csp/evidence/page-index'
import { guardedText } from '@csp/grounding/answer-guard'
import { timedOut, withTimeout } from '@csp/lib/abort'
import { inPieces } from '@csp/lib/pieces'
import type { Page } from '@csp/page-reader/page'
import { sourcesOf } from '../../../domain/answer.ts'
import type { ReceiptDraft } from '../../../domain/receipt.ts'
import type { Answer, Citation, SearchRequest } from '../../../domain/search.ts'
import type { SourcePages } from '../../executor.ts'
import { guardingEvidence } from './guarded-evidence.ts'

/**
 * The pages of an answer. Each is indexed once, as soon as it is there and in pieces, while the answer is still being
 * written, and its dates and numbers as soon as it is cited: what is left behind the last word is to look sentences up.
 */
export class CitedPages {
  readonly #pages: SourcePages
  /** Settle when the page was read, or could not be. */
  readonly #cited = new Map<string, Promise<void>>()
  readonly #found = new Map<string, Page>()
  readonly #indexing = new Map<string, Promise<void>>()
  readonly #figures = new Map<string, Promise<unknown>>()
  readonly #indexes = new Map<string, PageIndex>()
  #lastIndexed: Promise<void> = Promise.resolve()
  /** How long the first page took to come. */
  #firstMs = Number.POSITIVE_INFINITY
  /** Characters that were given to be indexed. */
  #length = 0
  /** How often a quotation was looked for. */
  #quotes = 0

  constructor(pages: SourcePages) {
    this.#pages = pages
  }

  /** For a page that is cited. */
  read(url: string): void {
    if (!this.#cited.has(url)) this.#cited.set(url, this.#readCited(url))
  }

  /** For a page that may be cited: it is not read for that. */
  prepare(url: string): void {
    this.#pages.known(url)?.then((page) => {
      if (page && this.#length < maxPrepared) this.#index(url, page)
    })
  }

  async #readCited(url: string): Promise<void> {
    const askedAt = performance.now()
    const page = await this.#pages.page(url)
    if (!page) return
    this.#firstMs = Math.min(this.#firstMs, performance.now() - askedAt)
    this.#found.set(url, page)
    this.#index(url, page)
    this.#lastIndexed = this.#lastIndexed.then(() => this.#readFigures(url))
    this.#indexing.set(url, this.#lastIndexed)
  }

  /** What sentences with numbers ask an indexed page for. */
  async #readFigures(url: string): Promise<void> {
    const index = this.#indexes.get(url)
    if (!index) return
    const reading = this.#figures.get(url) ?? inPieces(index.readingFigures())
    this.#figures.set(url, reading)
    await reading
  }

  /** One page at a time. */
  #index(url: string, { content: text, title, publishedAt }: Page): void {
    if (this.#indexing.has(url)) return
    const length = Math.min(maxIndexed - this.#length, maxPageLength)
    this.#length += Math.min(text.length, length)
    const reading = PageIndex.reading({ text, title, publishedAt }, length)
    const indexed = this.#lastIndexed.then(async () => void this.#indexes.set(url, await inPieces(reading)))
    this.#indexing.set(url, indexed)
    this.#lastIndexed = indexed
  }

  /** Waits for the pages that are cited, at most so long, and until those that came can be looked through. */
  async settled(waitMs: number): Promise<void> {
    await withTimeout(Promise.all(this.#cited.values()), waitMs)
    await Promise.all([...this.#found.keys()].map((url) => this.#indexing.get(url)))
  }

  /** Whether a page comes so soon after its citation; `undefined` where none is cited, or each has failed by then. */
  async comeWithin(waitMs: number): Promise<boolean | undefined> {
    const outcome = await withTimeout(Promise.all(this.#cited.values()), waitMs)
    if (this.#firstMs <= waitMs) return true
    return outcome === timedOut ? false : undefined
  }

  /** With pages that came too late to be compared. */
  async receiptOf(
    { query, effort, research }: SearchRequest,
    { text, model, backend, searches }: Answer,
    sentences: readonly Evidence[],
  ): Promise<Omit<ReceiptDraft, 'owner'>> {
    await this.settled(maxReceiptWaitMs)
    const sources = sourcesOf(searches).map(({ url, title, publishedAt, snippet, passages = [] }, place) => ({
      number: place + 1,
      url,
      title,
      date: publishedAt ?? this.#found.get(url)?.publishedAt,
      passages: [...(snippet ? [snippet] : []), ...passages],
      text: this.#found.get(url)?.content,
    }))
    return {
      question: query,
      model,
      strategy: research ? 'research' : effort,
      backend,
      answer: text,
      sentences,
      sources,
    }
  }

  /** What a page that is known has of the sentence before a marker. `text`: of the answer so far. */
  async quote(text: string, { number, url, title, start, end }: Citation): Promise<string | undefined> {
    const index = this.#quotes < maxQuotes ? this.#indexes.get(url) : undefined
    if (index) this.#quotes++
    await this.#readFigures(url)
    const from = Math.max(0, start - maxLookBack)
    const citations = [{ number, url, title, start: start - from, end: end - from }]
    const [checked] = index ? checkSentences({ text: text.slice(from, end), citations }, () => index) : []
    return checked?.passage && guardedText(checked.passage.text)
  }

  /** As it may leave. */
  async evidenceOf(answer: Answer): Promise<readonly Evidence[]> {
    const urls = new Map(answer.citations.map(({ number, url }) => [number, url]))
    const checked = await inPieces(checkingSentences(answer, (source) => this.#indexes.get(urls.get(source) ?? '')))
    return inPieces(guardingEvidence(checked))
  }
}

/** In characters, of all pages of an answer. Their indexes take some twenty bytes for each. */
const maxIndexed = 1_000_000
/** Characters of pages that nobody has cited yet. */
const maxPrepared = 400_000
/** For an answer. Each takes up to a millisecond, and an answer that is only markers has thousands. */
const maxQuotes = 400
/** In characters: most sentences are shorter. */
const maxLookBack = 1500
/** Longer than a read may take. */
const maxReceiptWaitMs = 6000
