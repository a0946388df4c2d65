import type { SearchResult } from '../../../domain/search.ts'

/** Interleaves the lists: the first of each, then the second of each, and so on; each page once. */
export function interleave(lists: readonly (readonly SearchResult[])[]): readonly SearchResult[] {
  const byUrl = new Map<string, SearchResult>()
  const longest = Math.max(0, ...lists.map(({ length }) => length))
  for (let place = 0; place < longest; place++) {
    for (const result of lists.flatMap((list) => list[place] ?? [])) {
      if (!byUrl.has(result.url)) byUrl.set(result.url, result)
    }
  }
  return [...byUrl.values()]
}
