import { timedOut, withTimeout } from '@csp/lib/abort'
import { interruptible } from '../../../domain/abort.ts'
import { type MemoryScope, ownerOf } from '../../../domain/memory.ts'
import type { Memory } from '../../../domain/recall.ts'
import type { SearchResult } from '../../../domain/search.ts'
import type { SearchContext } from '../../executor.ts'

/** The pages that csp has seen, and who may get what. */
export interface LentPages {
  readonly memory: Pick<Memory, 'excerpts'>
  readonly scope: MemoryScope
}

interface LentOptions extends LentPages {
  readonly query: string
  /** True while the page of an address is still loading. */
  readonly isLate: (url: string) => boolean
  readonly today: Date
  readonly context: SearchContext
}

/** Fills rows whose page is slow from the last copy that csp read, if it is recent. */
export async function withSeen(
  rows: readonly SearchResult[],
  { memory, scope, query, isLate, today, context }: LentOptions,
): Promise<readonly SearchResult[]> {
  const urls = rows.flatMap(({ url, snippet }) => (!snippet && isLate(url) ? [url] : []))
  if (urls.length === 0 || (context.cache ?? 'default') !== 'default') return rows
  const seenAfter = new Date(today.getTime() - maxDays * 86_400_000).toISOString()
  const asked = memory.excerpts({ urls, query, owner: ownerOf(scope, context.caller), seenAfter }).catch(() => timedOut)
  const found = await interruptible(withTimeout(asked, maxWaitMs), context.signal)
  if (typeof found === 'symbol') return rows
  return rows.map((row) => {
    const seen = row.snippet ? undefined : found.get(row.url)
    if (!seen?.snippet) return row
    const { snippet, passages, seenAt } = seen
    return { ...row, snippet, ...(passages && { passages }), publishedAt: row.publishedAt ?? seen.publishedAt, seenAt }
  })
}

/** The text of a month ago is usually still there. */
const maxDays = 30
const maxWaitMs = 200
