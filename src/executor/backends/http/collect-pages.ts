import type { SearchRequest, SearchResult } from '../../../domain/search.ts'
import { selectRows } from '../../answer/select-rows.ts'

/** The rows of one page of a list. */
export interface ListPage {
  readonly results: readonly SearchResult[]
  readonly hasMore: boolean
}

export interface CollectedPages {
  readonly rows: readonly SearchResult[]
  /** How many pages were asked for. */
  readonly asked: number
}

/**
 * Asks for pages, one after another, until there are as many rows as the request wants, or one where it names no count.
 * A page that fails after others have brought rows ends the list, without an error.
 */
export async function collectPages(
  request: SearchRequest,
  pages: readonly number[],
  ask: (page: number) => Promise<ListPage>,
  now: () => Date,
  signal: AbortSignal,
): Promise<CollectedPages> {
  const found: SearchResult[] = []
  let rows: readonly SearchResult[] = []
  let asked = 0
  for (const page of pages) {
    asked++
    try {
      const { results, hasMore } = await ask(page)
      found.push(...results)
      rows = selectRows(found, request, now())
      if (!hasMore || rows.length >= (request.limit ?? 1)) break
    } catch (error) {
      if (rows.length === 0 || signal.aborted) throw error
      break
    }
  }
  return { rows, asked }
}
