import { accountOf } from './account.ts'

/** A page as csp saw it. Its text is untrusted: data, never instructions. */
export interface SeenPage {
  readonly url: string
  readonly title: string
  /** Markdown or plain text. */
  readonly text: string
  /**
   * How complete the text is: a search result, a rough reading, or a full one. A less complete text only replaces a
   * more complete one that is old.
   */
  readonly extent: SeenExtent
  /** `YYYY-MM-DD`. */
  readonly publishedAt?: string | undefined
  /** BCP 47. */
  readonly language?: string | undefined
  /** The owner, if callers do not share pages; otherwise empty. */
  readonly owner: string
}

/** Who shares results: all callers, or only callers with the same key. */
export type MemoryScope = 'all' | 'key'

/** The owner of a page in that scope. */
export function ownerOf(scope: MemoryScope, caller: string | undefined): string {
  return scope === 'key' && caller !== undefined ? accountOf(caller) : ''
}

export type SeenExtent = 'row' | 'rough' | 'whole'

/** A stored page, and when csp saw it. */
export interface KeptPage extends SeenPage {
  /** ISO 8601. */
  readonly seenAt: string
}

/** Filters that only memory has. */
export interface MemoryWish {
  /** ISO 8601. Only pages seen since then. */
  readonly seenAfter?: string | undefined
  /** The address of a page: finds similar pages and ignores the query. */
  readonly similarTo?: string | undefined
}

/** What memory has, of one owner or of all. */
export interface MemoryStats {
  readonly pages: number
  /** The size of the file without its free pages; for one owner, the size of its texts. */
  readonly bytes: number
  readonly sites: number
  /** ISO 8601, of what was seen first and last. */
  readonly oldest?: string | undefined
  readonly newest?: string | undefined
}

/** What is forgotten: a site with its subdomains, or everything; of one owner or of all. */
export interface Forgetting {
  readonly site?: string | undefined
  readonly owner?: string | undefined
}

export interface MemoryHealth {
  /** The number of pages. Absent if not known yet. */
  readonly pages?: number | undefined
  readonly bytes?: number | undefined
  /** Why the last read or write failed, or how a damaged file was handled. */
  readonly problem?: string | undefined
}
