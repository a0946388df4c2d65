import type { SearchRequest, SearchResult } from './search.ts'

/** A page as csp saw it. Its text is untrusted: data, never instructions. */
export interface SeenPage {
  readonly url: string
  readonly title: string
  /** Markdown or plain text. */
  readonly text: string
  /**
   * How much of the page the text is: what a search said of it, a rough reading, or a careful one. What says less never
   * replaces what says more, unless that is old.
   */
  readonly extent: SeenExtent
  /** `YYYY-MM-DD`. */
  readonly publishedAt?: string | undefined
  /** BCP 47. */
  readonly language?: string | undefined
  /** Whose page it is, where callers share none; otherwise empty. */
  readonly owner: string
}

/** Who may get what another caller's search found: all callers, or only those with the same key. */
export type MemoryScope = 'all' | 'key'

/** Whose a page is, in that scope. */
export function ownerOf(scope: MemoryScope, caller: string | undefined): string {
  return scope === 'key' ? (caller?.split(':')[0] ?? '') : ''
}

export type SeenExtent = 'row' | 'rough' | 'whole'

/** A page that memory has, with when csp saw it. */
export interface KeptPage extends SeenPage {
  /** ISO 8601. */
  readonly seenAt: string
}

/** What is asked of memory. `owner`: whose pages; absent: all. */
export interface Recall extends MemoryWish, Pick<SearchRequest, 'query' | 'filters' | 'limit' | 'offset' | 'exclude'> {
  readonly owner?: string | undefined
}

/** What only memory can find. */
export interface MemoryWish {
  /** ISO 8601: only what was seen since. */
  readonly seenAfter?: string | undefined
  /** The address of a page: only what is like it. The query is not read then. */
  readonly similarTo?: string | undefined
}

/** The pages that csp has seen, which answer where no search can be made. */
export interface Memory {
  /** Keeps pages behind the reply. Never throws, and never waits: what is too much is dropped. */
  keep(pages: readonly SeenPage[]): void
  /** The pages that fit best, the best first, with passages and `seenAt`. */
  recall(recall: Recall): Promise<readonly SearchResult[]>
  /** Of these addresses, those that memory has the text of, not older than so many days, by address. */
  excerpts(wanted: WantedExcerpts): Promise<ReadonlyMap<string, SearchResult>>
  readonly health: MemoryHealth
  /** Waits for what is being written. */
  flush(): Promise<void>
}

export interface WantedExcerpts extends Pick<Recall, 'query' | 'owner'> {
  readonly urls: readonly string[]
  /** ISO 8601: only what was seen since. */
  readonly seenAfter: string
}

export interface MemoryHealth {
  /** How many pages it has. Absent: not known yet. */
  readonly pages?: number | undefined
  readonly bytes?: number | undefined
  /** Why the last write or read failed, if it did, or what was done about a broken file. */
  readonly problem?: string | undefined
}
