import type { Page } from '@csp/page-reader/page'
import type { ReceiptDraft, Receipts } from '../../src/domain/receipt.ts'
import type { SearchResult } from '../../src/domain/search.ts'
import type { SourcePages } from '../../src/executor/executor.ts'

/** The pages of an answer whose rows have their words already. */
export function pagesOver(
  rows: readonly SearchResult[],
  page: (url: string) => Promise<Page | undefined>,
): SourcePages {
  return {
    source: 'pages',
    async *fill() {
      yield* []
      return { rows, late: 0, isEnough: true }
    },
    page,
    begin() {},
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
