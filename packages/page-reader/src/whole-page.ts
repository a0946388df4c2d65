import type { Page, PageFormat, PageRequest } from './page.ts'
import type { PageContext } from './page-reader.ts'

/** The part of a request that decides which page is fetched and how it is read. The rest only cuts a part out of it. */
export type WholePageRequest = Pick<PageRequest, 'url' | 'language' | 'mainContentOnly' | 'isRough'>

/** A page with all of its content, in every format. */
export interface WholePage
  extends Omit<Page, 'url' | 'format' | 'content' | 'totalCharacters' | 'offset' | 'remaining'> {
  readonly contents: Readonly<Record<PageFormat, string>>
}

/** Reads whole pages, by the contract of `PageReader`. The layers stand around it, so that a page is kept once. */
export interface WholePageReader {
  /** Reads one page in every format. */
  read(request: WholePageRequest, context: PageContext): Promise<WholePage>
  /** Stops what is running. Idempotent. */
  close(): Promise<void>
}

/** A reader of whole pages wrapped around another: cache, queue, deadline. */
export type PageLayer = (inner: WholePageReader) => WholePageReader
