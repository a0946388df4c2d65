import { accountOf } from './account.ts'

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
  return scope === 'key' && caller !== undefined ? accountOf(caller) : ''
}

export type SeenExtent = 'row' | 'rough' | 'whole'

/** A page that memory has, with when csp saw it. */
export interface KeptPage extends SeenPage {
  /** ISO 8601. */
  readonly seenAt: string
}

/** What only memory can find. */
export interface MemoryWish {
  /** ISO 8601: only what was seen since. */
  readonly seenAfter?: string | undefined
  /** The address of a page: only what is like it. The query is not read then. */
  readonly similarTo?: string | undefined
}

/** What memory has, of one owner or of all. */
export interface MemoryStats {
  readonly pages: number
  /** Of the file, without what is free in it; of one owner, of its texts. */
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
  /** How many pages it has. Absent: not known yet. */
  readonly pages?: number | undefined
  readonly bytes?: number | undefined
  /** Why the last write or read failed, if it did, or what was done about a broken file. */
  readonly problem?: string | undefined
}
