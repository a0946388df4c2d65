import { checkingSentences, checkSentences, maxPageLength } from '@csp/evidence/check'
import type { Evidence, Passage } from '@csp/evidence/evidence'
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
  readonly #pages: SourcePages | undefined
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
  /** What the search itself quotes of pages. It stands in for those that cannot be read. */
  readonly #quoted = new Map<string, Set<string>>()
  /** How often a quotation was looked for. */
  #quotes = 0

  /** `pages`: absent where none are read, so that there are only quotations of the search. */
  constructor(pages: SourcePages | undefined) {
    this.#pages = pages
  }

  /** Whether the search itself has quoted any page. */
  get isQuoted(): boolean {
    return this.#quoted.size > 0
  }

  /** For a page that is cited. */
  read(url: string): void {
    if (!this.#cited.has(url)) this.#cited.set(url, this.#readCited(url))
  }

  /** For a page that may be cited: it is not read for that. */
  prepare(url: string): void {
    this.#pages?.known(url)?.then((page) => {
      if (page && this.#length < maxPrepared) this.#index(url, page)
    })
  }

  async #readCited(url: string): Promise<void> {
    const askedAt = performance.now()
    const page = await this.#pages?.page(url)
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
  #index(url: string, { content: text, title, publishedAt, isPaywalled }: Page): void {
    if (this.#indexing.has(url)) return
    const length = Math.min(maxIndexed - this.#length, maxPageLength)
    this.#length += Math.min(text.length, length)
    const reading = PageIndex.reading({ text, title, publishedAt, url, isPaywalled }, length)
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

  /**
   * What a page that is known has of the sentence before a marker; what the search quotes of one that is not. `text`: of the
   * answer so far.
   */
  async quote(text: string, { number, url, title, start, end, quote }: Citation): Promise<string | undefined> {
    if (quote) this.#keepQuote(url, quote)
    const index = this.#quotes < maxQuotes ? this.#indexes.get(url) : undefined
    if (!index) return quote
    this.#quotes++
    await this.#readFigures(url)
    const from = Math.max(0, start - maxLookBack)
    const citations = [{ number, url, title, start: start - from, end: end - from }]
    const [checked] = checkSentences({ text: text.slice(from, end), citations }, () => index)
    return checked?.passage && guardedText(checked.passage.text)
  }

  #keepQuote(url: string, quote: string): void {
    const known = this.#quoted.get(url) ?? new Set()
    if (known.size < maxQuotesOfPage) this.#quoted.set(url, known.add(quote))
  }

  /** As it may leave. */
  async evidenceOf(answer: Answer): Promise<readonly Evidence[]> {
    const urls = new Map(answer.citations.map(({ number, url }) => [number, url]))
    const excerpts = new Map<string, PageIndex>()
    for (const [url, quotes] of this.#quoted) if (!this.#indexes.has(url)) excerpts.set(url, await excerptOf(quotes))
    const pageOf = (source: number) => {
      const url = urls.get(source) ?? ''
      return this.#indexes.get(url) ?? excerpts.get(url)
    }
    const checked = await inPieces(checkingSentences(answer, pageOf))
    const shown = this.isQuoted ? withQuotes(checked, answer.citations, excerpts) : checked
    return inPieces(guardingEvidence(shown))
  }
}

/** What a search quotes of one page, to be looked through like a page. */
async function excerptOf(quotes: ReadonlySet<string>): Promise<PageIndex> {
  const text = [...quotes].join('\n\n')
  const index = await inPieces(PageIndex.reading({ text, isExcerpt: true }, maxPageLength))
  await inPieces(index.readingFigures())
  return index
}

/** Shows what the search quotes for a sentence whose page could not be read. */
function withQuotes(
  evidence: readonly Evidence[],
  citations: readonly Citation[],
  unread: ReadonlyMap<string, unknown>,
): readonly Evidence[] {
  const passages = new Map<Evidence | undefined, Passage[]>()
  for (const { url, start, number: source, quote } of citations) {
    if (!quote || !unread.has(url)) continue
    const one = evidence.findLast((sentence) => sentence.start <= start)
    if (one?.verdict === 'not-read')
      passages.set(one, [...(passages.get(one) ?? []), { text: quote, source, place: 0 }])
  }
  return evidence.map((one) => {
    const shown = passages.get(one) ?? []
    const [passage] = shown
    return passage ? { ...one, passage, ...(shown.length > 1 && { passages: shown }) } : one
  })
}

/** In characters, of all pages of an answer. Their indexes take some twenty bytes for each. */
const maxIndexed = 1_000_000
/** Characters of pages that nobody has cited yet. */
const maxPrepared = 400_000
/** For an answer. Each takes up to a millisecond, and an answer that is only markers has thousands. */
const maxQuotes = 400
/** Of the search's own. Each is short. */
const maxQuotesOfPage = 20
/** In characters: most sentences are shorter. */
const maxLookBack = 1500
/** Longer than a read may take. */
const maxReceiptWaitMs = 6000
