import type { Forgetting, MemoryHealth, MemoryStats, MemoryWish, SeenPage } from './memory.ts'
import type { SearchRequest, SearchResult } from './search.ts'

/** What is asked of memory. `owner`: whose pages; absent: all. */
export interface Recall extends MemoryWish, Pick<SearchRequest, 'query' | 'filters' | 'limit' | 'offset' | 'exclude'> {
  readonly owner?: string | undefined
}

/** The pages that csp has seen, which answer where no search can be made. */
export interface Memory {
  /** Keeps pages behind the reply. Never throws, and never waits: what is too much is dropped. */
  keep(pages: readonly SeenPage[]): void
  /** The pages that fit best, the best first, with passages and `seenAt`. */
  recall(recall: Recall): Promise<readonly SearchResult[]>
  /** Of these addresses, those that memory has the text of, not older than so many days, by address. */
  excerpts(wanted: WantedExcerpts): Promise<ReadonlyMap<string, SearchResult>>
  stats(owner?: string): Promise<MemoryStats>
  /** Returns how many pages are gone. */
  forget(what: Forgetting): Promise<number>
  readonly health: MemoryHealth
  /** Waits for what is being written. */
  flush(): Promise<void>
}

export interface WantedExcerpts extends Pick<Recall, 'query' | 'owner'> {
  readonly urls: readonly string[]
  /** ISO 8601: only what was seen since. */
  readonly seenAfter: string
}
