import type { SearchRequest, SearchResult } from './search.ts'

/** A search that is made again and again. All times are milliseconds since 1970. */
export interface Watch {
  /** 32 hexadecimal digits that nobody can guess. Whoever has it may read the feed. */
  readonly id: string
  readonly request: SearchRequest
  readonly everyMs: number
  readonly createdAt: number
  readonly nextAt: number
  readonly lastAt?: number | undefined
  /** Why the last run failed. */
  readonly problem?: string | undefined
  /** What earlier runs have found: of each page the hashes of its passages. */
  readonly seen: SeenPages
}

export type SeenPages = Readonly<Record<string, readonly string[]>>

/** What a run has found that no earlier one had. */
export interface WatchEntry {
  /** From 1, without a gap. */
  readonly sequence: number
  readonly at: number
  readonly kind: 'new' | 'changed'
  readonly url: string
  readonly title: string
  /** If the page has changed: only those that are new. */
  readonly passages: readonly string[]
}

/** A watch with its last entries, the newest first. */
export interface WatchFeed {
  readonly watch: Watch
  readonly entries: readonly WatchEntry[]
}

export type FoundEntry = Pick<WatchEntry, 'kind' | 'url' | 'title' | 'passages'>

/** What is new among the rows of a run, and what is known after it. `hash`: a short digest of a passage. */
export function newsIn(
  rows: readonly SearchResult[],
  seen: SeenPages,
  hash: (text: string) => string,
): { readonly entries: readonly FoundEntry[]; readonly seen: SeenPages } {
  const entries: FoundEntry[] = []
  const known = new Map(Object.entries(seen))
  for (const { url, title, snippet, passages: more = [] } of rows) {
    const passages = snippet ? [snippet, ...more] : more
    const before = known.get(url)
    const isNew = (passage: string) => !before?.includes(hash(passage))
    const news = passages.filter(isNew)
    if (before === undefined) entries.push({ kind: 'new', url, title, passages })
    // A page that could not be read before has no passages to compare with.
    else if (before.length > 0 && news.length > 0) entries.push({ kind: 'changed', url, title, passages: news })
    // The pages seen last stand last, and stay longest.
    known.delete(url)
    known.set(url, [...new Set([...(before ?? []), ...passages.map(hash)])].slice(-maxPassages))
  }
  return { entries, seen: Object.fromEntries([...known].slice(-maxPages)) }
}

/** What is remembered of one watch. */
const maxPages = 1000
const maxPassages = 50
