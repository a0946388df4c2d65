import { interruptible } from '../../../domain/abort.ts'
import { AnswerFold, sourcesOf } from '../../../domain/answer.ts'
import type { Evidence } from '../../../domain/evidence.ts'
import type { Page } from '../../../domain/page.ts'
import type { ReceiptDraft, Receipts } from '../../../domain/receipt.ts'
import type { Answer, SearchEvents, SearchRequest } from '../../../domain/search.ts'
import { checkSentences } from '../../../evidence/check.ts'
import { withTimeout } from '../../../lib/abort.ts'
import type { Executor, SearchContext, SourcePages } from '../../executor.ts'
import { layer } from '../layer.ts'
import { accountOf } from '../metering/metered.ts'

/**
 * Compares each sentence of a written answer with the pages that it cites, and says in `done` what it found, where answers
 * rest on pages. Those that it was written over are there already; others are read as soon as they are cited, and waited
 * for a little. No model is asked, and no text is held back. Each such answer leaves a receipt where they are kept.
 */
export function checked(inner: Executor, receipts?: Receipts): Executor {
  return layer(inner, {
    search: (request, context) => check(inner, receipts, request, context),
    ...(receipts && {
      health: async () => ({ ...(await inner.health()), receipts: { problem: receipts.problem } }),
      async close() {
        await inner.close()
        await receipts.flush()
      },
    }),
  })
}

async function* check(
  inner: Executor,
  receipts: Receipts | undefined,
  request: SearchRequest,
  context: SearchContext,
): SearchEvents {
  const { pages, signal } = context
  // JSON has no sentences.
  const isChecked = request.want === 'answer' && !request.schema && pages?.source === 'pages'
  if (!isChecked) return yield* inner.search(request, context)
  const cited = new CitedPages(pages)
  const waitMs = request.effort === 'fast' ? maxFastWaitMs : maxWaitMs
  const fold = new AnswerFold()
  for await (const event of inner.search(request, context)) {
    fold.add(event)
    if (event.type === 'citation') cited.read(event.citation.url)
    if (event.type !== 'done') yield event
    else {
      const answer = fold.finish()
      // Another csp may have looked at it already.
      if (!event.evidence) await interruptible(cited.settled(waitMs), signal)
      const evidence = event.evidence ?? cited.evidenceOf(answer)
      const isKept = answer.text !== '' && context.cache !== 'no-store'
      const owner = accountOf(context.caller)
      const draft = async () => ({ owner, ...(await cited.receiptOf(request, answer, evidence)) })
      const id = isKept ? receipts?.keep(draft) : undefined
      yield {
        ...event,
        ...(evidence.length > 0 && { evidence }),
        ...(id !== undefined && { receipt: { id, owner } }),
      }
    }
  }
}

class CitedPages {
  readonly #pages: SourcePages
  readonly #reads = new Map<string, Promise<void>>()
  readonly #found = new Map<string, Page>()

  constructor(pages: SourcePages) {
    this.#pages = pages
  }

  read(url: string): void {
    if (this.#reads.has(url)) return
    const read = this.#pages.page(url).then((page) => {
      if (page) this.#found.set(url, page)
    })
    this.#reads.set(url, read)
  }

  async settled(waitMs: number): Promise<void> {
    await withTimeout(Promise.all(this.#reads.values()), waitMs)
  }

  /** With pages that came too late to be compared. */
  async receiptOf(
    { query, effort }: SearchRequest,
    { text, model, backend, searches }: Answer,
    sentences: readonly Evidence[],
  ): Promise<Omit<ReceiptDraft, 'owner'>> {
    await this.settled(maxReceiptWaitMs)
    const sources = sourcesOf(searches).map(({ url, title, publishedAt, snippet, passages = [] }, place) => ({
      ...{ number: place + 1, url, title, date: publishedAt ?? this.#found.get(url)?.publishedAt },
      passages: [...(snippet ? [snippet] : []), ...passages],
      text: this.#found.get(url)?.content,
    }))
    return { question: query, model, strategy: effort, backend, answer: text, sentences, sources }
  }

  evidenceOf(answer: Answer): readonly Evidence[] {
    const urls = new Map(answer.citations.map(({ number, url }) => [number, url]))
    return checkSentences(answer, (source) => {
      const page = this.#found.get(urls.get(source) ?? '')
      return page && { text: page.content, title: page.title, publishedAt: page.publishedAt }
    })
  }
}

/** For pages that were not read before they were cited. */
const maxWaitMs = 800
const maxFastWaitMs = 300
/** Longer than a read may take. */
const maxReceiptWaitMs = 6000
