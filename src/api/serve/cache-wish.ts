import type { SearchContext } from '../../executor/executor.ts'

/** What the headers of a request say of the cache. */
export function cacheWish(headers: Headers): SearchContext['cache'] {
  const wish = headers.get('cache-control')?.toLowerCase() ?? ''
  if (/\bno-store\b/.test(wish)) return 'no-store'
  if (/\bno-cache\b/.test(wish) || headers.get('pragma')?.toLowerCase() === 'no-cache') return 'no-cache'
  return 'default'
}
