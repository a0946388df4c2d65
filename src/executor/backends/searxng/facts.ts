import type { Category } from '../../../domain/search.ts'

// What SearXNG calls things, for the dialect and for the backend.

/** In the order of the numbers that stand for them: `safesearch=0` is off. */
export const safeSearchLevels = ['off', 'moderate', 'strict'] as const

/** Its names for kinds of pages; it has none for the other kinds. */
export const categories: readonly (readonly [name: string, category: Category])[] = [
  ['news', 'news'],
  ['science', 'academic'],
  ['it', 'code'],
  ['images', 'images'],
  ['videos', 'videos'],
]
