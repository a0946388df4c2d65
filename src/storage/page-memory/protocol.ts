import type { Forgetting, MemoryStats, SeenPage } from '../../domain/memory.ts'
import type { Recall, WantedExcerpts } from '../../domain/recall.ts'
import type { SearchResult } from '../../domain/search.ts'
import type { MemoryFileOptions } from './memory-file.ts'

/** The argument by which csp starts the thread that keeps its memory. */
export const memoryArgument = 'keep-memory'

/** What the thread is asked, the opening of its file first. Each call has one reply, in order. */
export interface MemoryCall {
  readonly id: number
  readonly work:
    | { readonly open: Pick<MemoryFileOptions, 'path' | 'maxBytes'> }
    | { readonly keep: readonly SeenPage[] }
    | { readonly recall: Recall }
    | { readonly excerpts: WantedExcerpts }
    | { readonly stats: { readonly owner: string | undefined } }
    | { readonly forget: Forgetting }
    | { readonly close: true }
}

export interface MemoryReply {
  readonly id: number
  readonly rows?: readonly SearchResult[] | undefined
  readonly excerpts?: ReadonlyMap<string, SearchResult> | undefined
  readonly stats?: MemoryStats | undefined
  /** How many pages are gone. */
  readonly forgotten?: number | undefined
  readonly error?: string | undefined
  /** The code of a system error, or of one of SQLite. */
  readonly code?: string | undefined
  readonly pages?: number | undefined
  readonly bytes?: number | undefined
  /** What was done about a broken file. */
  readonly problem?: string | undefined
}
