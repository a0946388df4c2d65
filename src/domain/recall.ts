import type { Forgetting, MemoryHealth, MemoryStats, MemoryWish, SeenPage } from './memory.ts'
import type { SearchRequest, SearchResult } from './search.ts'

/** A question to memory. `owner`: whose pages to search; all pages if absent. */
export interface Recall extends MemoryWish, Pick<SearchRequest, 'query' | 'filters' | 'limit' | 'offset' | 'exclude'> {
  readonly owner?: string | undefined
}

/** Searches the pages that csp has seen, for when no search can be made. */
export interface Memory {
  /** Stores pages without delaying the reply. Never throws; drops pages when too many are waiting. */
  keep(pages: readonly SeenPage[]): void
  /** The best matches, best first, with passages and `seenAt`. */
  recall(recall: Recall): Promise<readonly SearchResult[]>
  /** The pages among these addresses whose text is stored and at most so many days old, by address. */
  excerpts(wanted: WantedExcerpts): Promise<ReadonlyMap<string, SearchResult>>
  stats(owner?: string): Promise<MemoryStats>
  /** Returns how many pages are gone. */
  forget(what: Forgetting): Promise<number>
  readonly health: MemoryHealth
  /** Waits for pending writes. */
  flush(): Promise<void>
}

export interface WantedExcerpts extends Pick<Recall, 'query' | 'owner'> {
  readonly urls: readonly string[]
  /** ISO 8601. Only pages seen since then. */
  readonly seenAfter: string
}
