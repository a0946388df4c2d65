import type { SearchRequest, SearchResult } from '../../../domain/search.ts'
import { selectRows } from '../../answer/select-rows.ts'

/** The rows of one batch of a list. */
export interface ListBatch {
  readonly results: readonly SearchResult[]
  readonly hasMore: boolean
}

export interface CollectedBatches {
  readonly rows: readonly SearchResult[]
  /** How many batches were asked for. */
  readonly asked: number
}

/**
 * Asks for batches, one after another, until there are as many rows as the request wants, or one where it names no count.
 * A batch that fails after others have brought rows ends the list, without an error.
 */
export async function collectBatches(
  request: SearchRequest,
  batches: readonly number[],
  ask: (batch: number) => Promise<ListBatch>,
  now: () => Date,
  signal: AbortSignal,
): Promise<CollectedBatches> {
  const found: SearchResult[] = []
  let rows: readonly SearchResult[] = []
  let asked = 0
  for (const batch of batches) {
    asked++
    try {
      const { results, hasMore } = await ask(batch)
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
