import type { Page } from '../../src/domain/page.ts'
import type { ReceiptDraft, Receipts } from '../../src/domain/receipt.ts'
import type { SearchEvent, SearchRequest, SearchResult } from '../../src/domain/search.ts'
import type { SourcePages } from '../../src/executor/answer/source-pages.ts'
import type { Executor, SearchContext } from '../../src/executor/executor.ts'
import { type CheckedOptions, checks } from '../../src/executor/layers/evidence/checked.ts'
import { type ExcerptedOptions, PageExcerpts, withLate } from '../../src/executor/layers/excerpts/excerpted.ts'

/** What makes an answer over these pages. */
type Answering = (request: SearchRequest, pages: SourcePages, context: SearchContext) => AsyncIterable<SearchEvent>

/** Answers with the pages of each read, as the stack has them. */
export function answersOver(options: ExcerptedOptions, answer: Answering): Pick<Executor, 'search'> {
  const excerpts = new PageExcerpts(options)
  return {
    search(request, context) {
      const pages = excerpts.of(request, context)
      return withLate(answer(request, pages, context), pages, request)
    },
  }
}

/** The check of answers, over the pages that go along with each. */
export function checkedOver(inner: Executor, options?: CheckedOptions) {
  const check = checks(options)
  return {
    search: (request: SearchRequest, { pages, ...context }: SearchContext & { readonly pages: SourcePages }) =>
      check(inner, pages).search(request, context),
  }
}

/** The pages of an answer whose rows have their words already. */
export function pagesOver(
  rows: readonly SearchResult[],
  page: (url: string) => Promise<Page | undefined>,
): SourcePages {
  return {
    source: 'pages',
    async *fill() {
      yield* []
      return { rows, isComplete: true, isEnough: true }
    },
    page,
    known: page,
  }
}

/** Receipts that are never written: what each would hold. */
export function draftedReceipts() {
  const drafts: Promise<ReceiptDraft>[] = []
  const receipts: Receipts = {
    async keep(draft) {
      drafts.push(draft())
      return 'id'
    },
    ...{ read: async () => undefined, list: async () => ({ receipts: [] }), problem: undefined, flush: async () => {} },
  }
  return { drafts, receipts }
}
