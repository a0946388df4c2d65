import type { Page } from '../../domain/page.ts'
import type { ExcerptSource, SearchEvent, SearchRequest, SearchResult } from '../../domain/search.ts'

/** The pages that one search finds. Each is read once, for rows, for what is written over them, and for its check. */
export interface SourcePages {
  /** Where the words come from that an answer is written over: the search call writes none if `pages`. */
  readonly source: ExcerptSource
  /** Reads the pages of rows without passages, and returns the rows with what came in time. Throws when aborted. */
  fill(rows: readonly SearchResult[], request: SearchRequest): AsyncGenerator<SearchEvent, FilledRows, undefined>
  /** The text of a page, as it was read for this search or is read now; `undefined` if that fails. Never rejects. */
  page(url: string): Promise<Page | undefined>
  /** The same for a page that was read for this search, or is being read; otherwise `undefined`. */
  known(url: string): Promise<Page | undefined> | undefined
}

/** Rows with the passages and dates of their pages. */
export interface FilledRows {
  /** Without those whose page proves to be outside of the period that was asked for. */
  readonly rows: readonly SearchResult[]
  /** Whether no page was late. */
  readonly isComplete: boolean
  /** Whether an answer can be written over them: nearly all pages may have failed. */
  readonly isEnough: boolean
}
